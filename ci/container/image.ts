import { openSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, buildRootfs } from '../image/build.ts';

/** What a container needs of the image's build. */
export interface ContainerImage {
  /** The root file system of a slot, an ext4 file. */
  rootfs: string;
  /** Root file system with programs that look at the screen from outside of the device's own. */
  viewer: string;
}

/**
 * Builds what is not in the cache. It is not removed from there until this process ends. `VITRINE_IMAGE` names a folder with
 * another image.
 */
export async function ensureContainerImage(options: BuildOptions = {}): Promise<ContainerImage> {
  const { folder, viewer } = await buildRootfs(options);
  const rootfs = join(process.env.VITRINE_IMAGE || folder, 'rootfs.ext4');
  // The cache does not remove folders with open files.
  for (const path of [rootfs, join(viewer, 'usr/bin/grim')]) openSync(path, 'r');
  return { rootfs, viewer };
}
