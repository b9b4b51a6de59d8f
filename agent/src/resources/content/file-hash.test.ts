import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { HashingSource, hashFile } from './file-hash.ts';
import { sha256 } from './tests/content.ts';

test('the hash is that of the file, whatever of it was read before, and in whichever order', async (t) => {
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
        const source = new HashingSource(handle, size);
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
