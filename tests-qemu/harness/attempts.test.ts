import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Attempt,
  failureLines,
  flakyLines,
  isWorthAnother,
  type Result,
  tableLines,
  tallyOf,
} from './attempts.ts';

/** An attempt whose tests passed (`+`) or failed (`-`). */
function attempt(marks: string, seconds = 10, machineSeconds = 4): Attempt {
  const tests = [...marks].map((mark, i) => ({ name: `x: test ${i + 1}`, passed: mark === '+' }));
  return { tests, seconds, machineSeconds };
}

function result(...attempts: Attempt[]): Result {
  return { name: 'x', attempts };
}

test('one attempt counts as it is', () => {
  assert.deepEqual(tallyOf(result(attempt('+++'))), { passed: 3, failed: 0, skipped: 0 });
  assert.deepEqual(tallyOf(result(attempt('+-'))), { passed: 1, failed: 1, skipped: 0 });
  assert.deepEqual(flakyLines([result(attempt('+')), result(attempt('-'))]), []);
});

test('a second attempt that passes counts, and what failed at first is listed as flaky', () => {
  const flaky = result(attempt('+-+-'), attempt('++++'));
  assert.deepEqual(tallyOf(flaky), { passed: 4, failed: 0, skipped: 0 });
  assert.deepEqual(flakyLines([flaky]), [
    'FLAKY   x: test 2 failed and passed at the second attempt',
    'FLAKY   x: test 4 failed and passed at the second attempt',
  ]);
  assert.deepEqual(failureLines([flaky]), []);
  assert.match(tableLines([flaky])[1] ?? '', /^x +FLAKY +4 +8\.0 +20\.0$/);
});

test('a second attempt that fails, wherever, is a failure; both are listed', () => {
  const failed = result(attempt('-+'), attempt('+-'));
  assert.deepEqual(tallyOf(failed), { passed: 1, failed: 1, skipped: 0 });
  assert.deepEqual(flakyLines([failed]), []);
  assert.deepEqual(failureLines([failed]), ['x: test 1 (attempt 1)', 'x: test 2 (attempt 2)']);
});

test('a scenario that was not run has failed', () => {
  assert.deepEqual(tallyOf(result()), { passed: 0, failed: 1, skipped: 0 });
  assert.deepEqual(failureLines([result()]), ['x: not run, the time was up']);
});

test('only a failure is tried again, and only when there is time for it', () => {
  assert.equal(isWorthAnother(attempt('++'), 10_000), false);
  assert.equal(isWorthAnother(attempt('+-'), 10_000), true);
  assert.equal(isWorthAnother(attempt('+-'), Number.POSITIVE_INFINITY), true);
  assert.equal(isWorthAnother(attempt('+-', 600), 700), false);
});

test('the longest comes first in the table', () => {
  const named = (name: string, seconds: number): Result => ({ name, attempts: [attempt('+', seconds, 0)] });
  const lines = tableLines([named('short', 5), named('long', 500), named('middle', 50)]);
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(' ')[0]),
    ['long', 'middle', 'short'],
  );
});
