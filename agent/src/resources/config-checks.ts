import { issues, parse } from '../contract/validate.ts';
import { ConfigPatch, StoredConfig } from './all.ts';
import type { ConfigChecks } from './config/store.ts';

/** The validators of the whole configuration. The agent's build compiles them, and finds them by these two calls. */
export const configChecks: ConfigChecks = {
  parsePatch: (value) => parse(ConfigPatch, value, ''),
  storedIssues: (value) => issues(StoredConfig, value),
};
