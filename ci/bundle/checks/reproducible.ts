/**
 * Two builds on one computer are identical: the image of the cache, and one that is assembled from the same parts at
 * another time, from a checkout with another path, another umask and other times. Compares disk, root file system, U-Boot,
 * kernel, and the payload of the update bundle. Needs the image; `npm run test:release` runs it.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { bundleArguments, bundleRequest } from '../../bundle.ts';
import { cacheFolder, ROOT } from '../../lib/places.ts';
import { type BundleRequest, makeBundle } from '../make.ts';
import { assembleAgain } from './assemble-again.ts';

const COMPARE_TIMEOUT_MS = 120_000;
/** Where the superblock of squashfs holds the number of bytes used, a 64-bit number; then follows padding to 4 KiB. */
const SQUASHFS_SIZE_AT = 40;

let folder: string;
let again: string;
let first: BundleRequest;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-again-'));
  // On the cache's file system, because the files are moved there.
  again = mkdtempSync(join(cacheFolder(), 'again-'));
  const request = await bundleRequest(bundleArguments([], {}));
  first = { ...request, compressionLevel: 1, output: join(again, 'first.raucb') };
  await makeBundle(first);
  const project = join(folder, 'another checkout');
  mkdirSync(project);
  const copy =
    'umask 077; cp -R "$0/overlay" "$0/board" "$0/ci" "$1"; find "$1" -exec touch -d 2001-02-03 {} +';
  execFileSync('sh', ['-euc', copy, ROOT, project], { timeout: COMPARE_TIMEOUT_MS });
  await assembleAgain(project, again);
});
after(() => {
  for (const path of [folder, again]) if (path) rmSync(path, { recursive: true, force: true });
});

for (const name of ['rootfs.ext4', 'disk.img', 'u-boot.rom', 'vmlinuz']) {
  test(`${name} has the same bytes`, () => {
    execFileSync('cmp', [join(dirname(first.rootfs), name), join(again, name)], {
      timeout: COMPARE_TIMEOUT_MS,
    });
  });
}

test('the bundle has the same payload; only its verity tree, which is salted, and the signature differ', async () => {
  const second = join(again, 'second.raucb');
  await makeBundle({ ...first, rootfs: join(again, 'rootfs.ext4'), output: second });
  const size = payloadSize(first.output);
  assert.equal(payloadSize(second), size);
  execFileSync('cmp', [`--bytes=${size}`, first.output, second], { timeout: COMPARE_TIMEOUT_MS });
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
