/** Timeouts, mutexes and delays. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { Backoff } from './backoff.ts';
import { Mutex } from './mutex.ts';
import { sleep, withTimeout } from './timeout.ts';

const never = new Promise<never>(() => undefined);

test('withTimeout settles like the work in time, and rejects after the timeout', async () => {
  assert.equal(await withTimeout(Promise.resolve(1), 10_000), 1);
  await assert.rejects(withTimeout(Promise.reject(new Error('failed')), 10_000), /^Error: failed$/);
  await assert.rejects(withTimeout(never, 1), /^Error: not done after 1 ms$/);
  await assert.rejects(
    withTimeout(never, 1, () => new RangeError('late')),
    /^RangeError: late$/,
  );
});

test('sleep ends after its time or by its signal and leaves no listener', async () => {
  const { signal } = new AbortController();
  // The timer of sleep does not keep the process alive.
  const alive = setInterval(() => undefined, 1000);
  await sleep(1, signal);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  const stop = new AbortController();
  const slept = sleep(1_000_000, stop.signal);
  stop.abort();
  await slept;
  await sleep(1_000_000, stop.signal);
  clearInterval(alive);
});

test('a mutex runs one task at a time, in order, also after a failed one', async () => {
  const mutex = new Mutex();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = mutex.run(async () => {
    seen.push('first begins');
    await gate.promise;
    seen.push('first ends');
    throw new Error('failed');
  });
  const second = mutex.run(() => {
    seen.push('second');
    return 2;
  });
  assert.equal(mutex.waiting, 2);
  gate.resolve();
  await assert.rejects(first, /failed/);
  assert.equal(await second, 2);
  assert.deepEqual(seen, ['first begins', 'first ends', 'second']);
  assert.equal(mutex.waiting, 0);
});

test('delays double up to the last and start over after a reset', () => {
  const backoff = new Backoff(10, 35);
  assert.deepEqual([backoff.next(), backoff.next(), backoff.next(), backoff.next()], [10, 20, 35, 35]);
  backoff.reset();
  assert.equal(backoff.next(), 10);
});
