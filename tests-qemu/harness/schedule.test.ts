import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { runSideBySide } from './schedule.ts';

/** Jobs that run until `end` is called; `log` records their starts and ends. */
function jobsOf(count: number) {
  const log: string[] = [];
  const doors = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const jobs = doors.map((door, i) => async () => {
    log.push(`+${i}`);
    await door.promise;
    log.push(`-${i}`);
  });
  const end = async (i: number): Promise<void> => {
    doors[i]?.resolve();
    await turn();
  };
  return { jobs, log, end };
}

test('jobs start in order, as many as may run at a time', async () => {
  const { jobs, log, end } = jobsOf(3);
  const all = runSideBySide(jobs, 2);
  assert.deepEqual(log, ['+0', '+1']);
  await end(1);
  assert.deepEqual(log, ['+0', '+1', '-1', '+2']);
  await end(0);
  await end(2);
  await all;
  assert.deepEqual(log.slice(4), ['-0', '-2']);
});

test('after an error no job is started, and running jobs are waited for', async () => {
  const { jobs, log, end } = jobsOf(2);
  const broken = (): Promise<void> => Promise.reject(new Error('broken'));
  const [first, last] = jobs;
  assert.ok(first && last);
  const failed = assert.rejects(runSideBySide([first, broken, last], 2), /broken/);
  await turn();
  await end(0);
  await failed;
  assert.deepEqual(log, ['+0', '-0']);
});
