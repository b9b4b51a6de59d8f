import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Ring } from './ring.ts';

const sizeOf = (text: string): number => text.length;

test('the newest values are kept, by number and by size', () => {
  const ring = new Ring({ most: 3, mostSize: 10, sizeOf });
  for (const text of ['a', 'b', 'c', 'd']) ring.push(text);
  assert.deepEqual(ring.values(), ['b', 'c', 'd']);
  assert.deepEqual(
    [ring.first, ring.next, ring.at(0), ring.at(3), ring.at(4)],
    [1, 4, undefined, 'd', undefined],
  );
  ring.push('12345678');
  assert.deepEqual(ring.values(), ['c', 'd', '12345678']);
  ring.push('123456789');
  assert.deepEqual(ring.values(), ['123456789']);
  ring.push('longer than all together');
  assert.deepEqual(ring.values(), ['longer than all together']);
  ring.clear();
  assert.deepEqual([ring.values(), ring.first, ring.next], [[], 7, 7]);
  ring.push('x');
  assert.deepEqual(ring.values(), ['x']);
});

test('it holds what the end of a list holds, whatever is pushed', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 12 }), { maxLength: 60 }), (texts) => {
      const ring = new Ring({ most: 5, mostSize: 20, sizeOf });
      for (const text of texts) ring.push(text);
      const kept = ring.values();
      assert.deepEqual(kept, texts.slice(texts.length - kept.length));
      assert.ok(kept.length <= 5);
      assert.ok(kept.length === 1 || kept.join('').length <= 20);
      // No more was removed than had to be.
      const before = texts[texts.length - kept.length - 1];
      assert.ok(before === undefined || kept.length === 5 || kept.join('').length + before.length > 20);
    }),
  );
});
