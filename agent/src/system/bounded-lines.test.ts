import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BoundedLines } from './bounded-lines.ts';

const texts = (lines: Buffer[]) => lines.map(String);

test('gives the same lines however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.nat(40)), (parts, cuts) => {
      const bytes = Buffer.from(parts.join('\n'));
      const expected = bytes
        .toString()
        .split('\n')
        .slice(0, -1)
        .filter((line) => line !== '');
      const lines = new BoundedLines(1 << 20);
      const got: string[] = [];
      let start = 0;
      for (const cut of [...cuts, bytes.length]) {
        got.push(...texts(lines.push(bytes.subarray(start, start + cut))));
        start = Math.min(start + cut, bytes.length);
      }
      assert.deepEqual(got, expected);
    }),
  );
});

test('a line that is too long ends it, whether or not it is finished', () => {
  for (const tail of ['', '\nmore\n']) {
    const lines = new BoundedLines(4);
    assert.deepEqual(texts(lines.push(Buffer.from('ab\nabcd\n'))), ['ab', 'abcd']);
    assert.equal(lines.overflowed, false);
    assert.deepEqual(texts(lines.push(Buffer.from(`abc`))), []);
    assert.deepEqual(texts(lines.push(Buffer.from(`de${tail}`))), []);
    assert.equal(lines.overflowed, true);
    assert.deepEqual(texts(lines.push(Buffer.from('x\n'))), []);
  }
});
