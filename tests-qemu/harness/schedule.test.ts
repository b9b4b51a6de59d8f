import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Job, runSideBySide } from './schedule.ts';

/**
 * Jobs, one for each letter: m in a machine, c in a container. They run until `end` is called; `log` has their starts and ends.
 */
function jobsOf(kinds: string) {
  const log: string[] = [];
  const doors = [...kinds].map(() => Promise.withResolvers<void>());
  const jobs = doors.map((door, i): Job => {
    const run = async () => {
      log.push(`+${i}`);
      await door.promise;
      log.push(`-${i}`);
    };
    return { inContainer: kinds[i] === 'c', run };
  });
  const end = async (i: number): Promise<void> => {
    doors[i]?.resolve();
    await turn();
  };
  return { jobs, log, end };
}

test('machines start in order, as many as may run at a time', async () => {
  const { jobs, log, end } = jobsOf('mmm');
  const all = runSideBySide(jobs, 2);
  assert.deepEqual(log, ['+0', '+1']);
  await end(1);
  assert.deepEqual(log, ['+0', '+1', '-1', '+2']);
  await end(0);
  await end(2);
  await all;
  assert.deepEqual(log.slice(4), ['-0', '-2']);
});

test('one container runs beside the machines, and more of them when no machine is left', async () => {
  const { jobs, log, end } = jobsOf('cmccm');
  const all = runSideBySide(jobs, 1);
  assert.deepEqual(log, ['+1', '+0']);
  await end(0);
  assert.deepEqual(log.slice(2), ['-0', '+2']);
  await end(1);
  await end(4);
  assert.deepEqual(log.slice(4), ['-1', '+4', '-4', '+3']);
  await end(2);
  await end(3);
  await all;
});

test('after an error no job is started, and running jobs are waited for', async () => {
  const { jobs, log, end } = jobsOf('mm');
  const broken: Job = { inContainer: false, run: () => Promise.reject(new Error('broken')) };
  const [first, last] = jobs;
  assert.ok(first && last);
  const failed = assert.rejects(runSideBySide([first, broken, last], 2), /broken/);
  await turn();
  await end(0);
  await failed;
  assert.deepEqual(log, ['+0', '-0']);
});
