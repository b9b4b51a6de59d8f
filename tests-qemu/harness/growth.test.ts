import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthOf, memoryByName, type Sample } from './growth.ts';

/** An hour of samples, every 30 s, with noise of 6 MB. */
const hour = (size: (at: number) => number): Sample[] =>
  Array.from({ length: 121 }, (_, i) => ({ at: i * 30, megabytes: size(i * 30) + ((i * 7) % 13) / 2 }));

test('a steady rise is growth; noise and a warm-up are not', () => {
  const leak = growthOf(hour((at) => 100 + (at / 3600) * 40));
  assert.equal(leak?.grew, true);
  assert.ok(Math.abs(leak.slope - 40) < 1, String(leak.slope));
  assert.equal(growthOf(hour(() => 100))?.grew, false);
  assert.equal(growthOf(hour((at) => Math.min(100, 40 + at / 10)))?.grew, false);
  assert.equal(growthOf(hour((at) => 400 - at / 100))?.grew, false);
  assert.equal(growthOf(hour(() => 100).slice(0, 3)), undefined);
});

test('the memory of processes with the same name is added', () => {
  assert.deepEqual(
    memoryByName('node\t12\t2048 kB\nWPE Web\t13\t1024 kB\nWPE Web\t14\t1024 kB\nkthreadd\t2\n'),
    new Map([
      ['node', { megabytes: 2, count: 1 }],
      ['WPE Web', { megabytes: 2, count: 2 }],
    ]),
  );
});
