import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from './line-splitter.ts';

const LIMIT = 12;

/** Splits bytes that arrive in pieces of the given sizes. */
function split(bytes: Buffer, sizes: readonly number[]): { lines: string[]; overlong: number } {
  const splitter = new LineSplitter(LIMIT);
  const lines: string[] = [];
  let start = 0;
  for (const size of [...sizes, bytes.length]) {
    splitter.forEach(bytes.subarray(start, start + size), (line) => lines.push(line.toString('latin1')));
    start = Math.min(start + size, bytes.length);
  }
  return { lines, overlong: splitter.overlong };
}

test('returns the same lines for pieces of any size, without those that are too long', () => {
  const line = fc.string({ unit: 'binary-ascii', maxLength: 2 * LIMIT });
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(40)), (parts, sizes) => {
      const text = parts.join('\n');
      const all = text.split('\n');
      const complete = all.slice(0, -1);
      assert.deepEqual(split(Buffer.from(text, 'latin1'), sizes), {
        lines: complete.filter((each) => each.length <= LIMIT),
        overlong: all.filter((each) => each.length > LIMIT).length,
      });
    }),
  );
});

test('returns the bytes after the last line and drops the unfinished one', () => {
  const splitter = new LineSplitter(LIMIT);
  splitter.push(Buffer.from('half'));
  assert.equal(splitter.next(), undefined);
  splitter.push(Buffer.from(' a line\nraw bytes'));
  assert.equal(String(splitter.next()), 'half a line');
  assert.equal(String(splitter.rest()), 'raw bytes');
  splitter.push(Buffer.from('next\n'));
  assert.equal(String(splitter.next()), 'next');
});
