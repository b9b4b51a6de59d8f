import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../lib/places.ts';
import type { Credential } from '../lib/virtual-device.ts';

const UNITS = join(ROOT, 'tests-qemu/units');

/**
 * The units for tests only, which systemd receives as credentials: the root shell, in QEMU also the host side of the USB
 * cable and its serial relay. The name of each file is the name of its credential.
 */
export async function testCredentials(kind: 'qemu' | 'container' = 'qemu'): Promise<Credential[]> {
  const folder = kind === 'qemu' ? UNITS : join(UNITS, kind);
  const names = (await readdir(folder)).filter((name) => name.startsWith('systemd.')).sort();
  if (names.length === 0) throw new Error(`${folder} holds no units`);
  return names.map((name) => ({ name, file: join(folder, name) }));
}
