import { join } from 'node:path';
import { ROOT } from '../../../ci/lib/places.ts';
import { type InstalledPython, installPython } from '../../../ci/lib/python-packages.ts';

/** Installs gooseBit, an independent server of hawkBit's interface for devices: 64 packages. */
export async function installGooseBit(): Promise<InstalledPython> {
  return await installPython({
    folder: 'goosebit',
    name: 'gooseBit',
    size: '150 MB',
    requirements: join(ROOT, 'tests-qemu/harness/goosebit/requirements.txt'),
  });
}
