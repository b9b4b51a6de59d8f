import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buildRadioPrograms } from '../image/build.ts';
import { served } from '../qemu/served.ts';
import type { GuestShell } from '../qemu/shell.ts';

const DOWNLOAD_MS = 120_000;

/**
 * Copies programs of the other end into the device's memory.
 * @param target folder in the guest
 * @param paths below the folder of {@link buildRadioPrograms}
 */
export async function sendPrograms(
  shell: GuestShell,
  target: string,
  paths: readonly string[],
): Promise<void> {
  const folder = await buildRadioPrograms();
  for (const path of paths) {
    const file = `${target}/${basename(path)}`;
    await served(await readFile(join(folder, path)), (url) =>
      shell.ok(`mkdir -p ${target} && busybox wget -q -O ${file} ${url} && chmod +x ${file}`, DOWNLOAD_MS),
    );
  }
}
