import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { HashingSource, hashFile } from './file-hash.ts';
import { sha256 } from './tests/content.ts';
import { type ByteSource, fileSource } from './zip/source.ts';
import { buildZip } from './zip/tests/build-zip.ts';
import { memorySource } from './zip/tests/memory-source.ts';
import { verifyBundle } from './zip/verify.ts';

test('the hash is correct after reads in any order', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-hash-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const size of [0, 1, 5000, 600_000]) {
    const path = join(folder, `${size}`);
    const bytes = randomBytes(size);
    await writeFile(path, bytes);
    assert.equal(await hashFile(path), sha256(bytes));
    const handle = await open(path);
    const position = fc.nat(size);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(position, position)), fc.boolean(), async (ranges, fromStart) => {
        const source = new HashingSource(fileSource(handle, size));
        const reads = fromStart ? [[0, size] as const, ...ranges] : ranges;
        await Promise.all(
          reads.map(async ([a, b]) => {
            const [start, end] = [Math.min(a, b), Math.max(a, b)];
            assert.deepEqual(await source.read(start, end - start), bytes.subarray(start, end));
          }),
        );
        assert.equal(await source.sha256(), sha256(bytes));
      }),
      { numRuns: 20 },
    );
    await handle.close();
  }
});

test('an archive is hashed while it is verified, and hardly read twice', async () => {
  const data = randomBytes(1_500_000);
  const large = ['a', 'b', 'c'].map((name) => ({ name, data, method: 0 }));
  const small = Array.from({ length: 3000 }, (_, index) => ({
    name: `d/${index}`,
    data: `${index}`.repeat(99),
  }));
  const bytes = buildZip([{ name: 'index.html' }, ...small.slice(0, 1500), ...large, ...small.slice(1500)]);
  const inner = memorySource(bytes);
  let length = 0;
  const counted: ByteSource = {
    size: inner.size,
    read: (...args) => {
      length += args[1];
      return inner.read(...args);
    },
  };
  const source = new HashingSource(counted);
  await verifyBundle(source);
  const verified = length;
  assert.equal(await source.sha256(), sha256(bytes));
  // The central directory is behind what was verified.
  assert.ok(length - verified < 3003 * 100, `${length - verified} bytes for the hash alone`);
});
