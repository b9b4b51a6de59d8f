import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../lib/places.ts';
import type { MachineSettings } from './arguments.ts';

const UNITS = join(ROOT, 'tests-qemu/units');

/**
 * The test-only units, which the firmware hands to systemd as credentials: the root shell, the host's side of the
 * cable and its serial relay. A file's name is the credential's.
 */
export async function testCredentials(): Promise<NonNullable<MachineSettings['credentials']>> {
  const names = (await readdir(UNITS)).filter((name) => name.startsWith('systemd.')).sort();
  if (names.length === 0) throw new Error(`${UNITS} holds no units`);
  return names.map((name) => ({ name, file: join(UNITS, name) }));
}
