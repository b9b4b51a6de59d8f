/** The configuration of all resources in a folder, for tests. */
import { createLogger } from '../../../base/logger.ts';
import { EventBus } from '../../../events/bus.ts';
import { configGroups, configuration } from '../../all.ts';
import { type ConfigOptions, ConfigStore } from '../store.ts';

export function openConfig(folder: string, options: Partial<ConfigOptions> = {}): Promise<ConfigStore> {
  return ConfigStore.open({
    folder,
    groups: configGroups,
    contract: configuration,
    bus: new EventBus(),
    log: createLogger('silent'),
    board: { dualBandRadio: false },
    ...options,
  });
}
