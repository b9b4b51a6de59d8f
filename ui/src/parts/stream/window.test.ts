import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { drawnRows } from './window.ts';

const SIZES = { height: 280, rowHeight: 28 };

test('the rows that can be seen are drawn, and few others, wherever a list is scrolled', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.double({ min: 0, max: 3e6, noNaN: true }), (count, wanted) => {
      const top = Math.min(wanted, Math.max(0, count * 28 - 280));
      const { from, to } = drawnRows({ ...SIZES, count, top, isAtEnd: false });
      assert.ok(from >= 0 && to <= count && to - from <= 22);
      assert.ok(from * 28 <= top && (to * 28 >= top + 280 || to === count));
    }),
  );
});

test('at the end the last rows are drawn, whatever the list was scrolled to before', () => {
  assert.deepEqual(drawnRows({ ...SIZES, count: 1000, top: 0, isAtEnd: true }), { from: 978, to: 1000 });
  assert.deepEqual(drawnRows({ ...SIZES, count: 3, top: 500, isAtEnd: true }), { from: 0, to: 3 });
  assert.deepEqual(drawnRows({ ...SIZES, count: 0, top: 0, isAtEnd: true }), { from: 0, to: 0 });
});
