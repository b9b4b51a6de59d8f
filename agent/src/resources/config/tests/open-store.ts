/** A configuration in a folder, for tests. */
import { createLogger } from '../../../base/logger.ts';
import { issues } from '../../../contract/validate.ts';
import { EventBus } from '../../../events/bus.ts';
import type { ConfigContract } from '../schema.ts';
import { type ConfigOptions, ConfigStore } from '../store.ts';

export function openStore(
  folder: string,
  contract: ConfigContract,
  options: Partial<ConfigOptions> = {},
): Promise<ConfigStore> {
  return ConfigStore.open({
    folder,
    contract,
    issues: (config) => issues(contract.Config, config),
    bus: new EventBus(),
    log: createLogger('silent'),
    board: { dualBandRadio: false },
    ...options,
  });
}
