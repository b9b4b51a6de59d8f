/**
 * Two builds on one computer are identical: the root file system of the cache, and one that is assembled again from the same
 * parts. `reproducible-disk.ts` compares everything else.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { bundleArguments, bundleRequest } from '../../bundle.ts';
import { cacheFolder } from '../../lib/places.ts';
import { assembleAgain, requireSameBytes } from './assemble-again.ts';

let first: string;
let again: string;
before(async () => {
  first = dirname((await bundleRequest(bundleArguments([], {}))).rootfs);
  // On the cache's file system, because the files are moved there.
  again = mkdtempSync(join(cacheFolder(), 'again-'));
  await assembleAgain('rootfs', again);
});
after(() => {
  if (again) rmSync(again, { recursive: true, force: true });
});

for (const name of ['rootfs.ext4', 'vmlinuz']) {
  test(`${name} has the same bytes`, () => requireSameBytes(join(first, name), join(again, name)));
}
