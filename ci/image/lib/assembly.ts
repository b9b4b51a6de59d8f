/** Assembles the parts of an image: first a slot's root file system, then the disk. */
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../../lib/places.ts';
import { Problem } from '../../lib/problem.ts';
import { hashFiles, hashOf } from './hash.ts';
import { run } from './run.ts';
import { archiveOf, type Build, inBuilder, unpackFirmware } from './stages.ts';

/** How many results are kept: for 2, the current one and the previous one. */
const KEEP_IMAGES = 2;
const KEEP_ROOTFS = 1;

export interface ImageParts {
  builder: string;
  runtime: string;
  parts: Map<string, string>;
  agent: string;
  /** PEM file of the certificates that update bundles are checked with. */
  keyring: string;
  version: string;
}

/** Debian's U-Boot with `bootdelay` in its default environment changed from 2 to `seconds`, which must be one digit. */
export function withBootDelay(rom: Buffer, seconds: number): Buffer {
  const text = rom.toString('latin1');
  if (!text.includes('bootdelay=2\0')) throw new Problem('U-Boot has no "bootdelay=2" to change.');
  return Buffer.from(text.replaceAll('bootdelay=2\0', `bootdelay=${seconds}\0`), 'latin1');
}

/** The paths in `board/common` that an image from packages depends on: all but patches and settings for compiling. */
function boardInputs(): string[] {
  const compiled = ['linux', 'patches', 'uboot'];
  const names = readdirSync(join(ROOT, 'board/common')).filter((name) => !compiled.includes(name));
  return names.map((name) => join('board/common', name));
}

/** Names an image by the hash of its parts and of the project's files. */
function imageKey(build: Build, from: ImageParts): string {
  return hashOf(
    ...[from.builder, from.runtime, from.agent, ...from.parts.values()].map((folder) => basename(folder)),
    hashFiles(ROOT, [
      'overlay',
      ...boardInputs(),
      `board/${build.board}`,
      'ci/image/assemble.sh',
      'ci/image/finish.sh',
    ]),
    ...[readFileSync(from.keyring, 'utf8'), from.version, archiveOf(build, 'u-boot-qemu')],
  );
}

/** The folder with disk.img, u-boot.rom, rootfs.ext4 and vmlinuz. */
export async function assembleImage(build: Build, from: ImageParts): Promise<string> {
  const key = imageKey(build, from);
  const found = build.cache.find('image', key);
  if (found) return found;
  return await build.progress.step('assembling the disk image', () =>
    build.cache.make('image', key, KEEP_IMAGES, async (result) => {
      await fillImage(build, from, result, build.cache.find('rootfs', key));
      writeFileSync(join(result, 'id'), key);
    }),
  );
}

/**
 * A folder with rootfs.ext4, the root file system of a slot, and vmlinuz. It is that of the image if this is in the cache.
 * Otherwise {@link assembleImage} continues from it.
 */
export async function assembleRootfs(build: Build, from: ImageParts): Promise<string> {
  const key = imageKey(build, from);
  const found = build.cache.find('image', key) ?? build.cache.find('rootfs', key);
  if (found) return found;
  return await build.progress.step('assembling the root file system', () =>
    build.cache.make('rootfs', key, KEEP_ROOTFS, async (result) => {
      await fillRootfs(build, from, result);
      writeFileSync(join(result, 'id'), key);
    }),
  );
}

/**
 * Assembles an image into an existing folder, which must be on the cache's file system.
 * @param rootfs result of {@link assembleRootfs} for the same parts; default: the root file system is assembled, too
 */
export async function fillImage(
  build: Build,
  from: ImageParts,
  result: string,
  rootfs?: string,
): Promise<void> {
  if (rootfs) {
    for (const name of ['rootfs.ext4', 'vmlinuz']) linkSync(join(rootfs, name), join(result, name));
  } else await fillRootfs(build, from, result);
  await build.cache.scratch('disk', async (work) => {
    linkSync(join(result, 'rootfs.ext4'), join(work, 'rootfs.ext4'));
    const script = '/src/board/common/post-image.sh';
    await inBuilder(build, from.builder, work, ['eatmydata', script, '/out', build.board]);
    renameSync(join(work, 'disk.img'), join(result, 'disk.img'));
    await unpackFirmware(build, join(work, 'firmware'));
    const rom = readFileSync(join(work, 'firmware/usr/lib/u-boot/qemu-x86_64/u-boot.rom'));
    // Nobody can press a key on virt. The U-Boot of other boards is compiled without the delay.
    writeFileSync(join(result, 'u-boot.rom'), withBootDelay(rom, 0));
  });
}

/** Like {@link fillImage}, for rootfs.ext4 and vmlinuz only. */
export async function fillRootfs(build: Build, from: ImageParts, result: string): Promise<void> {
  await build.cache.scratch('assembly', async (work) => {
    mkdirSync(join(work, 'parts'));
    for (const [name, folder] of from.parts) await run('cp', ['-a', folder, join(work, 'parts', name)]);
    await run('cp', ['-a', from.agent, join(work, 'agent')]);
    writeFileSync(join(work, 'keyring.pem'), readFileSync(from.keyring));
    await inBuilder(build, from.builder, work, ['/src/ci/image/assemble.sh', build.board], {
      env: { VITRINE_VERSION: from.version, VITRINE_KEYRING: '/out/keyring.pem' },
      change: { name: 'root', folder: join(from.runtime, 'root') },
    });
    for (const name of ['rootfs.ext4', 'vmlinuz']) renameSync(join(work, name), join(result, name));
  });
}
