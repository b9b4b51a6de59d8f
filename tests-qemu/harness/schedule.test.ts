import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Job, runSideBySide } from './schedule.ts';

/** Jobs that run until `end` is called; `log` records their starts and ends. */
function jobsOf(...processors: number[]): { jobs: Job[]; log: string[]; end: (i: number) => Promise<void> } {
  const log: string[] = [];
  const doors = processors.map(() => Promise.withResolvers<void>());
  const jobs = processors.map((needed, i) => ({
    processors: needed,
    run: async () => {
      log.push(`+${i}`);
      await doors[i]?.promise;
      log.push(`-${i}`);
    },
  }));
  const end = async (i: number): Promise<void> => {
    doors[i]?.resolve();
    await turn();
  };
  return { jobs, log, end };
}

test('jobs start in order as processors become free; none overtakes a job that needs more', async () => {
  const { jobs, log, end } = jobsOf(1, 1, 1, 2, 1);
  const all = runSideBySide(jobs, 2);
  assert.deepEqual(log, ['+0', '+1']);
  await end(1);
  assert.deepEqual(log, ['+0', '+1', '-1', '+2']);
  await end(0);
  assert.deepEqual(log.slice(4), ['-0'], 'job 3 needs both processors');
  await end(2);
  assert.deepEqual(log.slice(5), ['-2', '+3']);
  await end(3);
  await end(4);
  await all;
  assert.deepEqual(log.slice(7), ['-3', '+4', '-4']);
});

test('a job that needs more processors than there are runs alone', async () => {
  const { jobs, log, end } = jobsOf(2, 1);
  const all = runSideBySide(jobs, 1);
  assert.deepEqual(log, ['+0']);
  await end(0);
  await end(1);
  await all;
  assert.deepEqual(log, ['+0', '-0', '+1', '-1']);
});

test('after an error no job is started, and running jobs are waited for', async () => {
  const { jobs, log, end } = jobsOf(1, 1);
  const broken: Job = { processors: 1, run: () => Promise.reject(new Error('broken')) };
  const all = runSideBySide(
    [jobs[0], broken, jobs[1]].filter((job) => job !== undefined),
    2,
  );
  const failed = assert.rejects(all, /broken/);
  await turn();
  await end(0);
  await failed;
  assert.deepEqual(log, ['+0', '-0']);
});
