import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Problem } from '../lib/problem.ts';
import { ensureImage } from '../qemu/image.ts';

/** What a container needs of a built image. */
export interface ContainerImage {
  /** The root file system of a slot, an ext4 file. */
  rootfs: string;
  /** Root file system with programs that look at the screen. */
  builder: string;
}

/** The image, which is built first if necessary; see {@link ensureImage}. */
export async function ensureContainerImage(): Promise<ContainerImage> {
  const folder = dirname((await ensureImage()).disk);
  const rootfs = join(folder, 'rootfs.ext4');
  // Beside the image in the cache.
  const builder =
    process.env.FAKEB ??
    join(dirname(folder), await readFile(join(folder, 'builder'), 'utf8').catch(() => ''));
  for (const path of [rootfs, join(builder, 'usr')]) {
    await stat(path).catch(() => {
      throw new Problem(`${path} is missing; a container needs an image that was built on this computer.`);
    });
  }
  return { rootfs, builder };
}
