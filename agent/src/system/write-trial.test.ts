import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { WriteTrial } from './write-trial.ts';

/** A partition whose writes fail with a code, or never end, and a clock. */
function partition() {
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
  };
  const state = { code: '', hangs: false, writes: 0, pass };
  const write = async () => {
    state.writes += 1;
    if (state.hangs) await new Promise(() => undefined);
    if (state.code) throw Object.assign(new Error(state.code), { code: state.code });
  };
  return { state, trial: new WriteTrial('/data', { write, clock: () => now }) };
}

test('writes one byte to the folder, again and again', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-trial-'));
  t.after(() => rm(folder, { recursive: true }));
  let now = 0;
  const trial = new WriteTrial(folder, { clock: () => now });
  for (; now < 300_000; now += 61_000) await trial.refresh();
  assert.deepEqual(trial.problems(), []);
  assert.equal(await readFile(join(folder, '.write-trial'), 'utf8'), '.');
  assert.equal((await stat(join(folder, '.write-trial'))).mode & 0o777, 0o600);
  const none = new WriteTrial(join(folder, 'missing'));
  await none.refresh();
  assert.deepEqual(none.problems(), []);
});

test('a partition that an error has made read-only is reported until it can be written again', async () => {
  const { state, trial } = partition();
  await trial.refresh();
  assert.deepEqual(trial.problems(), []);
  state.code = 'EROFS';
  state.pass(60_000);
  await trial.refresh();
  assert.match(trial.problems().join(), /^The data partition is read-only/);
  state.code = 'EIO';
  state.pass(5000);
  await trial.refresh();
  assert.match(trial.problems().join(), /cannot be written \(EIO\)/);
  state.code = '';
  state.pass(5000);
  await trial.refresh();
  assert.deepEqual(trial.problems(), []);
});

test('writes once a minute at most, however often health is asked for', async () => {
  const { state, trial } = partition();
  for (let second = 0; second < 120; second += 1) {
    await Promise.all([trial.refresh(), trial.refresh()]);
    state.pass(1000);
  }
  assert.equal(state.writes, 2);
});

test('a full disk is none of its problems', async () => {
  const { state, trial } = partition();
  state.code = 'ENOSPC';
  await trial.refresh();
  assert.deepEqual(trial.problems(), []);
});

test('a medium that does not answer is reported, and one write waits at most', async () => {
  const { state, trial } = partition();
  state.hangs = true;
  await Promise.all([trial.refresh(), trial.refresh()]);
  assert.match(trial.problems().join(), /does not answer/);
  assert.equal(state.writes, 1);
});
