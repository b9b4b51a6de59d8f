/** The configuration of all resources in a folder, for tests. */
import { createLogger } from '../../../base/logger.ts';
import { issues, parse } from '../../../contract/validate.ts';
import { EventBus } from '../../../events/bus.ts';
import { configGroups, configuration } from '../../all.ts';
import { type ConfigChecks, type ConfigOptions, ConfigStore } from '../store.ts';

/** @param options other groups come with their contract */
export function openConfig(folder: string, options: Partial<ConfigOptions> = {}): Promise<ConfigStore> {
  const { contract = configuration } = options;
  const checks: ConfigChecks = {
    parsePatch: (value) => parse(contract.ConfigPatch, value, ''),
    storedIssues: (value) => issues(contract.StoredConfig, value),
  };
  return ConfigStore.open({
    folder,
    groups: configGroups,
    contract,
    checks,
    bus: new EventBus(),
    log: createLogger('silent'),
    board: { dualBandRadio: false },
    ...options,
  });
}
