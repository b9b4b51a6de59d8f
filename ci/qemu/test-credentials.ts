import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../lib/places.ts';
import type { MachineSettings } from './arguments.ts';

const UNITS = join(ROOT, 'tests-qemu/units');

/**
 * The units for tests only, which systemd receives as credentials through the firmware configuration: the root shell, the
 * host side of the USB cable and its serial relay. The name of each file is the name of its credential.
 */
export async function testCredentials(): Promise<NonNullable<MachineSettings['credentials']>> {
  const names = (await readdir(UNITS)).filter((name) => name.startsWith('systemd.')).sort();
  if (names.length === 0) throw new Error(`${UNITS} holds no units`);
  return names.map((name) => ({ name, file: join(UNITS, name) }));
}
