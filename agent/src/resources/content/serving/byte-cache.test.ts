import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteCache } from './byte-cache.ts';

test('the least recently used buffers are dropped at the limit', () => {
  const cache = new ByteCache<string>(10);
  cache.set('a', Buffer.alloc(4));
  cache.set('b', Buffer.alloc(4));
  cache.get('a');
  cache.set('c', Buffer.alloc(4));
  assert.deepEqual([cache.get('a')?.length, cache.get('b'), cache.get('c')?.length], [4, undefined, 4]);
  cache.set('d', Buffer.alloc(11));
  assert.deepEqual([cache.get('d'), cache.bytes], [undefined, 0]);
});

test('the size is correct after any operations', () => {
  const step = fc.record({ key: fc.nat(5), size: fc.nat(6), remove: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const cache = new ByteCache<number>(12);
      for (const { key, size, remove } of steps) {
        if (remove) cache.delete(key);
        else cache.set(key, Buffer.alloc(size));
        const held = [0, 1, 2, 3, 4, 5].reduce((sum, one) => sum + (cache.get(one)?.length ?? 0), 0);
        assert.equal(cache.bytes, held);
        assert.ok(held <= 12);
      }
    }),
  );
});
