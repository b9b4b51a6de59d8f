import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atMost } from './at-most.ts';

test('runs up to the limit at once, refuses more, and accepts again when one has ended', async () => {
  const bounded = atMost(2, 'pictures');
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<never>();
  const running = [bounded(() => first.promise), bounded(() => second.promise)];
  const refusal = { code: 'too_many_requests', message: 'There are 2 pictures already.' };
  await assert.rejects(
    bounded(async () => assert.fail('it ran')),
    refusal,
  );
  first.resolve('done');
  second.reject(new Error('no'));
  assert.equal(await running[0], 'done');
  await assert.rejects(running[1] ?? assert.fail(), /no/);
  assert.deepEqual(await Promise.all([1, 2].map((n) => bounded(async () => n))), [1, 2]);
});
