import { type Endpoint, isEndpoint } from '../contract/endpoint.ts';
import type { Topic } from '../contract/topics.ts';
import { type Issue, issues } from '../contract/validate.ts';
import { audio } from './audio/index.ts';
import { bluetooth } from './bluetooth/index.ts';
import { branding } from './branding/index.ts';
import { certificates } from './certificates/index.ts';
import { configResource } from './config/index.ts';
import { configContract } from './config/schema.ts';
import { content } from './content/index.ts';
import { device } from './device/index.ts';
import { devices } from './devices/index.ts';
import { display } from './display/index.ts';
import { document } from './document/index.ts';
import { input } from './input/index.ts';
import { network } from './network/index.ts';
import { nfc } from './nfc/index.ts';
import { operations } from './operations/index.ts';
import { page } from './page/index.ts';
import { ui } from './ui/index.ts';
import { update } from './update/index.ts';
import { wifi } from './wifi/index.ts';

/** Every resource but the configuration, in the order of the document. A new resource gets its line here. */
const owners = [
  device,
  network,
  display,
  page,
  content,
  branding,
  certificates,
  audio,
  update,
  operations,
  input,
  nfc,
  wifi,
  bluetooth,
  devices,
  ui,
  document,
] as const;

/** The groups of the configuration, in its order. */
export const configGroups = owners.flatMap(({ config = [] }) => config);
export const configuration = configContract(configGroups);
export const Config = configuration.Config;
/** Where a value breaks the schema of the configuration. The agent's build finds the schema by this call. */
export const configIssues = (value: unknown): Issue[] => issues(Config, value);
export const resources = [...owners, configResource(configuration)] as const;

const exported = resources.flatMap(({ contract }): [string, unknown][] => Object.entries(contract));

/** Every endpoint by its operation id: the name under which its schema file exports it. */
export const endpointsById: ReadonlyMap<string, Endpoint> = byName(isEndpoint);
export const endpoints: readonly Endpoint[] = [...endpointsById.values()];
/** Every topic with the schema of its payload. */
export const topics: readonly Topic[] = [...byName(isTopic).values()];

/** @throws Error when two resources export the same name */
function byName<T>(is: (value: unknown) => value is T): Map<string, T> {
  const found = new Map<string, T>();
  for (const [name, value] of exported) {
    if (!is(value)) continue;
    if (found.has(name)) throw new Error(`two resources export ${name}`);
    found.set(name, value);
  }
  return found;
}

function has<K extends string>(value: unknown, ...keys: K[]): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && keys.every((key) => Object.hasOwn(value, key));
}

function isTopic(value: unknown): value is Topic {
  return has(value, 'name', 'payload', 'summary');
}
