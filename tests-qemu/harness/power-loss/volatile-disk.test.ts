import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Random } from './random.ts';
import { SECTOR, type Strategy, VolatileDisk } from './volatile-disk.ts';

const SECTORS = 32;
const folder = mkdtempSync(join(tmpdir(), 'vitrine-disk-'));
const base = join(folder, 'base.img');
const BASE = Buffer.from(Array.from({ length: SECTORS * SECTOR }, (_, i) => Math.floor(i / SECTOR)));
writeFileSync(base, BASE);
after(() => rmSync(folder, { recursive: true }));

function withDisk(work: (disk: VolatileDisk) => void): void {
  const disk = new VolatileDisk(base, join(folder, 'overlay.img'));
  try {
    work(disk);
  } finally {
    disk.close();
  }
}

/** A random operation on the disk. */
const Step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('write' as const, 'write' as const, 'write' as const, 'durable' as const),
      sector: fc.integer({ min: 0, max: SECTORS - 1 }),
      count: fc.integer({ min: 1, max: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
);
const Strategies = fc.constantFrom<Strategy[]>('none', 'first', 'any', 'all');

test('a reader sees every write, and after a cut each sector has its flushed content or a later one', () => {
  fc.assert(
    fc.property(fc.array(Step, { maxLength: 30 }), Strategies, fc.integer(), (steps, strategy, seed) => {
      withDisk((disk) => {
        // Permitted contents of each sector after a cut: the flushed one first, the latest last.
        const allowed = Array.from({ length: SECTORS }, (_, sector) => [sector]);
        let mark = 100;
        for (const step of steps) {
          if (step.kind === 'flush') {
            disk.flush();
            for (const contents of allowed) contents.splice(0, contents.length - 1);
            continue;
          }
          const count = Math.min(step.count, SECTORS - step.sector);
          mark++;
          disk.write(step.sector * SECTOR, Buffer.alloc(count * SECTOR, mark), step.kind === 'durable');
          for (const contents of allowed.slice(step.sector, step.sector + count)) {
            if (step.kind === 'durable') contents.length = 0;
            contents.push(mark);
          }
        }
        const all = disk.read(0, disk.size);
        for (const [sector, contents] of allowed.entries()) {
          assert.deepEqual(all.subarray(sector * SECTOR, (sector + 1) * SECTOR), filled(contents.at(-1)));
        }
        const loss = disk.cut(new Random(seed), strategy);
        const left = disk.read(0, disk.size);
        for (const [sector, contents] of allowed.entries()) {
          const found = left[sector * SECTOR];
          assert.deepEqual(left.subarray(sector * SECTOR, (sector + 1) * SECTOR), filled(found));
          const wanted =
            strategy === 'none' ? contents.slice(0, 1) : strategy === 'all' ? contents.slice(-1) : contents;
          assert.ok(
            found !== undefined && wanted.includes(found),
            `sector ${sector}: ${found}, not ${wanted}`,
          );
        }
        assert.ok(loss.kept + loss.torn <= loss.writes);
        // The surviving writes are on the medium: a second cut changes nothing.
        assert.equal(disk.unflushed, 0);
        disk.cut(new Random(seed + 1), 'none');
        assert.deepEqual(disk.read(0, disk.size), left);
      });
    }),
    { numRuns: 300 },
  );
  assert.deepEqual(readFileSync(base), BASE);
});

function filled(byte: number | undefined): Buffer {
  return Buffer.alloc(SECTOR, byte);
}

test('the losses depend only on the seed', () => {
  const left = (seed: number): Buffer | undefined => {
    let result: Buffer | undefined;
    withDisk((disk) => {
      for (let i = 0; i < 200; i++) disk.write((i % 24) * SECTOR, Buffer.alloc(8 * SECTOR, i));
      disk.cut(new Random(seed), 'any');
      result = disk.read(0, disk.size);
    });
    return result;
  };
  assert.deepEqual(left(7), left(7));
  assert.notDeepEqual(left(7), left(8));
});

test('writes are lost, kept and torn', () => {
  const seen = { kept: 0, torn: 0, lost: 0 };
  for (let seed = 0; seed < 20; seed++) {
    withDisk((disk) => {
      for (let i = 0; i < 50; i++) disk.write(0, Buffer.alloc(16 * SECTOR, i));
      const { writes, kept, torn, bytes } = disk.cut(new Random(seed), 'any');
      assert.equal(writes, 50);
      assert.equal(bytes, 50 * 16 * SECTOR);
      seen.kept += kept;
      seen.torn += torn;
      seen.lost += writes - kept - torn;
    });
  }
  for (const [fate, count] of Object.entries(seen)) assert.ok(count > 20, `${fate}: ${count} of 1000`);
});

test('a write of an incomplete sector is rejected', () => {
  withDisk((disk) => {
    assert.throws(() => disk.write(100, Buffer.alloc(SECTOR)), /whole sector/);
    assert.throws(() => disk.write(0, Buffer.alloc(100)), /whole sector/);
  });
});
