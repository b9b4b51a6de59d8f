/** A configuration in a folder, for tests. */
import { createLogger } from '../../../base/logger.ts';
import { EventBus } from '../../../events/bus.ts';
import type { BoardLimits } from '../group.ts';
import type { ConfigContract } from '../schema.ts';
import { type ConfigOptions, ConfigStore } from '../store.ts';

/** The limits of the board in tests: only zones whose names Intl reports. */
export const BOARD: BoardLimits = {
  dualBandRadio: false,
  hasTimeZone: (name) => Intl.supportedValuesOf('timeZone').includes(name),
  hasKeyboardLayout: () => true,
};

export function openStore(
  folder: string,
  contract: ConfigContract,
  options: Partial<ConfigOptions> = {},
): Promise<ConfigStore> {
  return ConfigStore.open({
    folder,
    contract,
    bus: new EventBus(),
    log: createLogger('silent'),
    board: BOARD,
    ...options,
  });
}
