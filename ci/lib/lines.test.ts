import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from './lines.ts';

test('the lines are the same however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 40 }).filter((s) => !/[\r\n]/.test(s))),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
      (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const expected = lines.map((line) => Buffer.from(line).toString());
        const splitter = new LineSplitter(1000);
        const seen: string[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = cuts[i % cuts.length] ?? 1;
          seen.push(...splitter.push(bytes.subarray(at, at + size)));
          at += size;
        }
        assert.deepEqual(seen, expected);
      },
    ),
  );
});

test('a line over the limit is refused as soon as it passes, and the next one is taken again', () => {
  const splitter = new LineSplitter(10);
  assert.deepEqual(splitter.push(Buffer.from('01234567')), []);
  assert.throws(() => splitter.push(Buffer.from('890')), /11 bytes/);
  assert.deepEqual(splitter.push(Buffer.from('0123456789\n')), ['0123456789']);
});
