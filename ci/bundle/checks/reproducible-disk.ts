/**
 * Two builds on one computer are identical, as in `reproducible.ts`: the disk, U-Boot, and the payload of the update bundle.
 * Takes two minutes, so only `npm run test:release` and `npm run test:full` run it.
 */
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { bundleArguments, bundleRequest } from '../../bundle.ts';
import { cacheFolder } from '../../lib/places.ts';
import { type BundleRequest, makeBundle } from '../make.ts';
import { assembleAgain, requireSameBytes } from './assemble-again.ts';

/** Where the superblock of squashfs holds the number of bytes used, a 64-bit number; then follows padding to 4 KiB. */
const SQUASHFS_SIZE_AT = 40;

let again: string;
let first: BundleRequest;
before(async () => {
  // On the cache's file system, because the files are moved there.
  again = mkdtempSync(join(cacheFolder(), 'again-'));
  const request = await bundleRequest(bundleArguments([], {}));
  first = { ...request, compressionLevel: 1, output: join(again, 'first.raucb') };
  await makeBundle(first);
  await assembleAgain('image', again);
});
after(() => {
  if (again) rmSync(again, { recursive: true, force: true });
});

for (const name of ['disk.img', 'u-boot.rom']) {
  test(`${name} has the same bytes`, () =>
    requireSameBytes(join(dirname(first.rootfs), name), join(again, name)));
}

test('the bundle has the same payload; only its verity tree, which is salted, and the signature differ', async () => {
  const second = join(again, 'second.raucb');
  await makeBundle({ ...first, rootfs: join(again, 'rootfs.ext4'), output: second });
  const size = payloadSize(first.output);
  assert.equal(payloadSize(second), size);
  requireSameBytes(first.output, second, `--bytes=${size}`);
});

/** The size in bytes of the squashfs with which a bundle begins. */
function payloadSize(file: string): number {
  const superblock = Buffer.alloc(96);
  const fd = openSync(file, 'r');
  try {
    readSync(fd, superblock, 0, superblock.length, 0);
  } finally {
    closeSync(fd);
  }
  assert.equal(superblock.toString('latin1', 0, 4), 'hsqs');
  return Math.ceil(Number(superblock.readBigUInt64LE(SQUASHFS_SIZE_AT)) / 4096) * 4096;
}
