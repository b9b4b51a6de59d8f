import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Report } from './report.ts';
import { PASSED, type Tally } from './tally.ts';

const never = (): Promise<never> => new Promise(() => undefined);

function reportOf(ms: number, now = () => performance.now()) {
  const said: string[] = [];
  const stop = new AbortController();
  const report = new Report((text) => said.push(text), now() + ms, stop.signal, now);
  const summary = (): string[] =>
    said
      .join('')
      .split('── summary\n')[1]
      ?.split('\n')
      .filter((line) => line !== '') ?? [];
  return { report, stop, text: () => said.join(''), summary };
}

test('every stage counts, including one that throws', async () => {
  let clock = 0;
  const { report, text, summary } = reportOf(60_000, () => clock);
  const takes = async (ms: number, tally: Tally): Promise<Tally> => {
    clock += ms;
    return tally;
  };
  const counted = { passed: 4, failed: 1, skipped: 2 };
  assert.deepEqual(await report.stage('first', () => takes(2000, counted)), counted);
  await report.stage('second', () => Promise.reject(new Error('broken')));
  await report.stage('third', () => takes(30_500, PASSED));
  report.note('a note');
  report.printSummary();
  assert.deepEqual(report.tally, { passed: 5, failed: 2, skipped: 2 });
  assert.match(text(), /FAILED {2}second: .*broken/);
  // Longest stage first, notes last.
  assert.deepEqual(
    summary().map((line) => line.replace(/ {2,}/g, ' ')),
    [
      'third 1 passed, 0 failed, 0 skipped 30.5 s',
      'first 4 passed, 1 failed, 2 skipped 2.0 s',
      'second 0 passed, 1 failed, 0 skipped 0.0 s',
      'a note',
    ],
  );
});

test('a stage beside another one prints one block at its end', async () => {
  const { report, text } = reportOf(60_000);
  const [first, second] = [Promise.withResolvers<Tally>(), Promise.withResolvers<Tally>()];
  const beside = report.stageBeside('beside', (say) => {
    say('its line\n');
    return first.promise;
  });
  const stage = report.stage('main', () => second.promise);
  assert.equal(text(), '\n── main\n');
  first.resolve(PASSED);
  await beside;
  assert.equal(text(), '\n── main\n\n── beside\nits line\n');
  second.resolve(PASSED);
  await stage;
  assert.equal(report.tally.passed, 2);
});

test('at the time limit the running stage and those after it fail, and the summary is still printed', async () => {
  const { report, summary } = reportOf(50);
  await report.stage('slow', never);
  await report.stage('next', () => assert.fail('it was run'));
  report.printSummary();
  assert.equal(report.leftMs, 0);
  assert.deepEqual(report.tally, { passed: 0, failed: 2, skipped: 0 });
  assert.deepEqual(
    summary()
      .map((line) => line.split(' ')[0])
      .sort(),
    ['next', 'slow'],
  );
});

test('a stop ends the running stage at once', async () => {
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
