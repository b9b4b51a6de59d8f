import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tally } from '../../ci/lib/tally.ts';
import { type Attempt, failureLines, type Result, shouldRetry, tableLines, tallyOf } from './attempts.ts';

const RESULTS: Record<string, keyof Tally> = { '+': 'passed', '-': 'failed', s: 'skipped' };

/** An attempt whose tests passed (`+`), failed (`-`) or were skipped (`s`). */
function attempt(marks: string, seconds = 10, machineSeconds = 4): Attempt {
  const tests = [...marks].map((mark, i) => ({
    name: `x: test ${i + 1}`,
    result: RESULTS[mark] ?? 'failed',
    ...(mark === '-' && { error: new Error(`why\n  ${i + 1}`) }),
  }));
  return { tests, seconds, machineSeconds };
}

function result(...attempts: Attempt[]): Result {
  return { name: 'x', attempts };
}

test('the result of a single attempt counts', () => {
  assert.deepEqual(tallyOf(result(attempt('+++'))), { passed: 3, failed: 0, skipped: 0 });
  assert.deepEqual(tallyOf(result(attempt('+-s'))), { passed: 1, failed: 1, skipped: 1 });
  assert.deepEqual(failureLines([result(attempt('+-s'))]), ['FAILED  x: test 2: why 2']);
});

test('a passed second attempt counts, and the tests that failed first are listed as flaky', () => {
  const flaky = result(attempt('+-+-'), attempt('++++'));
  assert.deepEqual(tallyOf(flaky), { passed: 4, failed: 0, skipped: 0 });
  assert.deepEqual(failureLines([flaky]), [
    'FLAKY   x: test 2 failed and passed at the second attempt: why 2',
    'FLAKY   x: test 4 failed and passed at the second attempt: why 4',
  ]);
  assert.match(tableLines([flaky])[1] ?? '', /^x +FLAKY +4 +8\.0 +20\.0$/);
});

test('a scenario whose second attempt also fails has failed; the failures of both are listed', () => {
  const failed = result(attempt('-+'), attempt('+-'));
  assert.deepEqual(tallyOf(failed), { passed: 1, failed: 1, skipped: 0 });
  assert.deepEqual(failureLines([failed]), [
    'FAILED  x: test 1 (attempt 1): why 1',
    'FAILED  x: test 2 (attempt 2): why 2',
  ]);
});

test('a scenario that was not run has failed', () => {
  assert.deepEqual(tallyOf(result()), { passed: 0, failed: 1, skipped: 0 });
  assert.deepEqual(failureLines([result()]), ['FAILED  x: not run, time limit reached']);
});

test('only a failed attempt is repeated, and only when there is enough time', () => {
  assert.equal(shouldRetry(attempt('+s'), 10_000), false);
  assert.equal(shouldRetry(attempt('+-'), 10_000), true);
  assert.equal(shouldRetry(attempt('+-'), Number.POSITIVE_INFINITY), true);
  assert.equal(shouldRetry(attempt('+-', 600), 700), false);
});

test('the table lists the longest scenario first', () => {
  const named = (name: string, seconds: number): Result => ({ name, attempts: [attempt('+', seconds, 0)] });
  const lines = tableLines([named('short', 5), named('long', 500), named('middle', 50)]);
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(' ')[0]),
    ['long', 'middle', 'short'],
  );
});
