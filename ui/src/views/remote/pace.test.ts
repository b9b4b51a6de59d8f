import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALM_MS, HURRY_MS, InputPace, QUICK_MS } from './pace.ts';

test('an input ends a long pause, and pauses are short for a while; a short one is not cut', () => {
  let [now, cuts] = [0, 0];
  const pace = new InputPace(() => now);
  const stop = pace.onShorter(() => {
    cuts += 1;
  });
  assert.equal(pace.pauseMs(), CALM_MS);
  pace.hurry();
  now = HURRY_MS - 1;
  pace.hurry();
  assert.deepEqual([pace.pauseMs(), cuts], [QUICK_MS, 1]);
  now = 2 * HURRY_MS - 2;
  assert.equal(pace.pauseMs(), QUICK_MS);
  now = 2 * HURRY_MS - 1;
  assert.equal(pace.pauseMs(), CALM_MS);
  stop();
  pace.hurry();
  assert.equal(cuts, 1);
});
