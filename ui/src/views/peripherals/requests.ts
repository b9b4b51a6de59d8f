/** What can be done with the rules. Each ends when the device says what pages may use now. */
import {
  entryOf,
  type Peripheral,
  patchToAllow,
  patchToRevoke,
} from '../../../../client/peripheral-permissions.ts';
import { until } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { storeConfig, storedConfig } from '../../app/stored-config.ts';
import { t } from '../../app/texts.ts';
import { peripherals } from './state.ts';

const RESULT_MS = 15_000;

/**
 * Lets pages of an origin use a peripheral.
 * @throws ActionError if it is no longer there, or what would be allowed is something else than the user has read
 */
export async function allow(shown: Peripheral, origin: string): Promise<void> {
  const [config, present] = await readAgain(shown);
  if (JSON.stringify(present.suggestion) !== JSON.stringify(shown.suggestion)) throw changed();
  const patch = patchToAllow(config, present, origin);
  if (patch) await storeConfig(patch);
  await peripherals.refresh();
  await until(() => presentOf(shown)?.origins.includes(origin) === true, RESULT_MS);
}

/**
 * Removes the entry that matches a peripheral.
 * @throws ActionError if it is no longer there, or another entry matches it
 */
export async function removeEntry(shown: Peripheral): Promise<void> {
  const entry = entryOf(storedConfig.value.value, shown);
  const [config, present] = await readAgain(shown);
  if (JSON.stringify(entryOf(config, present)) !== JSON.stringify(entry)) throw changed();
  const patch = patchToRevoke(config, present);
  if (patch) await storeConfig(patch);
  await peripherals.refresh();
}

/** Others may have changed the rules, or plugged something in. */
async function readAgain({ id, kind }: Peripheral): Promise<[config: unknown, present: Peripheral]> {
  const { client } = connection;
  const [config, { peripherals: all }] = await Promise.all([
    client.get('/config'),
    client.get('/device/peripherals'),
  ]);
  const present = all.find((one) => one.id === id && one.kind === kind);
  if (!present) throw new ActionError(t('peripherals.gone'));
  return [config, present];
}

function presentOf({ id, kind }: Peripheral): Peripheral | undefined {
  return peripherals.value.value?.peripherals.find((one) => one.id === id && one.kind === kind);
}

function changed(): ActionError {
  return new ActionError(t('peripherals.changed'));
}
