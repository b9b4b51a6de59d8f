/** The scenario `update` checks bundles of the real RAUC, whose trees have more levels. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ApiError } from '../../contract/errors.ts';
import { checkPayload } from './payload-check.ts';
import type { BundlePayload } from './ports.ts';
import { BLOCK, BLOCKS, smallBundle } from './tests/small-bundle.ts';

const { signal } = new AbortController();
const damaged = (error: unknown) => error instanceof ApiError && error.code === 'bundle_invalid';

const { bytes: bundle, payload } = smallBundle();
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-payload-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function check(bytes: Buffer, change: Partial<BundlePayload> = {}): Promise<void> {
  const path = join(folder, 'bundle');
  await writeFile(path, bytes);
  await checkPayload(path, { ...payload, ...change }, signal);
}

test('accepts the payload with the signed root hash', () => check(bundle));

test('refuses a changed byte anywhere in data and tree', async () => {
  const end = (BLOCKS + 1) * BLOCK;
  for (const position of [
    0,
    end - BLOCK - 1,
    end - BLOCK,
    end - 1,
    ...Array.from({ length: 20 }, () => randomInt(end)),
  ]) {
    const changed = Buffer.from(bundle);
    changed.writeUInt8(changed.readUInt8(position) ^ 0x10, position);
    await assert.rejects(check(changed), damaged, `byte ${position}`);
  }
});

test('refuses sizes that cannot be right, without reading more than the file', async () => {
  const huge = Buffer.from(bundle);
  huge.writeBigUInt64BE(2n ** 63n, huge.length - 8);
  await assert.rejects(check(huge), damaged);
  for (const length of [0, 5, 8, 100, BLOCK, bundle.length - 1]) {
    await assert.rejects(check(bundle.subarray(0, length)), damaged, `${length} bytes`);
  }
  for (const treeSize of [0, BLOCK - 1, 2 * BLOCK, bundle.length, 2 ** 50, -BLOCK]) {
    await assert.rejects(check(bundle, { treeSize }), damaged, `a tree of ${treeSize} bytes`);
  }
  await assert.rejects(check(bundle, { salt: '00'.repeat(1000) }), damaged);
});
