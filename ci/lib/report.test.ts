import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Report } from './report.ts';
import { PASSED } from './tally.ts';

const never = (): Promise<never> => new Promise(() => undefined);

function reportOf(ms: number) {
  const said: string[] = [];
  const stop = new AbortController();
  const report = new Report((text) => said.push(text), performance.now() + ms, stop.signal);
  return { report, stop, text: () => said.join('') };
}

test('every stage counts, also one that throws', async () => {
  const { report, text } = reportOf(60_000);
  assert.deepEqual(await report.stage('first', async () => ({ passed: 4, failed: 1, skipped: 2 })), {
    passed: 4,
    failed: 1,
    skipped: 2,
  });
  await report.stage('second', () => Promise.reject(new Error('broken')));
  await report.stage('third', async () => PASSED);
  report.printSummary();
  assert.deepEqual(report.tally, { passed: 5, failed: 2, skipped: 2 });
  assert.match(text(), /FAILED {2}second: .*broken/);
  assert.match(
    text(),
    /summary\nfirst +4 passed, 1 failed, 2 skipped .*\nsecond +0 passed, 1 failed, .*\nthird +1 passed, 0 failed/,
  );
});

test('the end of the time fails the stage under way and those after it, and the summary still comes', async () => {
  const { report, text } = reportOf(50);
  await report.stage('slow', never);
  await report.stage('next', () => assert.fail('it was run'));
  report.printSummary();
  assert.equal(report.leftMs, 0);
  assert.deepEqual(report.tally, { passed: 0, failed: 2, skipped: 0 });
  assert.match(text(), /summary\nslow .*\nnext /);
});

test('a stop ends the stage under way at once', async () => {
  const { report, stop } = reportOf(60_000);
  let signal: AbortSignal | undefined;
  const stage = report.stage('slow', (left) => {
    signal = left;
    return never();
  });
  stop.abort();
  assert.deepEqual(await stage, { passed: 0, failed: 1, skipped: 0 });
  assert.equal(signal?.aborted, true);
  await report.stage('next', () => assert.fail('it was run'));
  assert.deepEqual(report.tally, { passed: 0, failed: 2, skipped: 0 });
});
