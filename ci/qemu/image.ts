import { existsSync, openSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buildImage } from '../image/build.ts';
import { Problem } from '../lib/problem.ts';

/** The virt image as the machine needs it. */
export interface BuiltImage {
  /** The whole disk, raw; never written. */
  disk: string;
  /** U-Boot's ROM. */
  firmware: string;
  /** The image's kernel, for the question whether KVM can run it. */
  kernel: string;
  /** Tells one build from another. */
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
  // A build names what it was made from; a folder from elsewhere may not.
  const id = await readFile(join(folder, 'id'), 'utf8').catch(() => `${size}-${mtimeMs}`);
  return { disk, firmware, kernel, id };
}

/**
 * The image, built first if need be. `VITRINE_IMAGE` names a folder with a built one instead. It stays in the cache
 * until this process ends, whatever is built meanwhile.
 */
export async function ensureImage(): Promise<BuiltImage> {
  const image = await imageIn(process.env.VITRINE_IMAGE || (await buildImage()));
  // The cache leaves alone what is open.
  openSync(image.disk, 'r');
  return image;
}
