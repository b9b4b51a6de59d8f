import { existsSync, openSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buildMachine, type MachineOptions } from '../image/build.ts';
import { Problem } from '../lib/problem.ts';

/** The files of a built virt image. */
export interface BuiltImage {
  /** The disk image, raw; never written. */
  disk: string;
  /** U-Boot's ROM. */
  firmware: string;
  /** The image's kernel, to test whether KVM can run it. */
  kernel: string;
  /** Identifies the build. */
  id: string;
}

/** The image in a folder that holds `disk.img`, `u-boot.rom` and the kernel: `vmlinuz`, or `bzImage` as in Buildroot's. */
export async function imageIn(folder: string): Promise<BuiltImage> {
  const [disk, firmware, compiled] = ['disk.img', 'u-boot.rom', 'bzImage'].map((name) => join(folder, name));
  if (!disk || !firmware || !compiled) throw new Error('unreachable');
  const kernel = existsSync(compiled) ? compiled : join(folder, 'vmlinuz');
  for (const file of [disk, firmware, kernel]) {
    await stat(file).catch(() => {
      throw new Problem(`${file} is missing; build the image with "npm run image".`);
    });
  }
  const { mtimeMs, size } = await stat(disk);
  // Our build writes the hash of its inputs to this file; a folder from elsewhere may not contain it.
  const id = await readFile(join(folder, 'id'), 'utf8').catch(() => `${size}-${mtimeMs}`);
  return { disk, firmware, kernel, id };
}

/**
 * The image, which is built first if necessary, with the QEMU that runs it. `VITRINE_IMAGE` names a folder with a built image
 * instead. It is not removed from the cache until this process ends.
 */
export async function ensureImage(options: MachineOptions = {}): Promise<BuiltImage> {
  const given = process.env.VITRINE_IMAGE;
  if (given) await options.setup;
  const image = await imageIn(given || (await buildMachine(options)));
  // The cache does not remove folders with open files.
  openSync(image.disk, 'r');
  return image;
}
