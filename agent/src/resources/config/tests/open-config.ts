/** The configuration of all resources in a folder, for tests. Tests of the store itself use tests/small-contract.ts. */
import { configuration } from '../../contract.ts';
import type { ConfigOptions, ConfigStore } from '../store.ts';
import { openStore } from './open-store.ts';

export function openConfig(folder: string, options: Partial<ConfigOptions> = {}): Promise<ConfigStore> {
  return openStore(folder, configuration, options);
}
