import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareOf, stepOf, stepsAt } from './install-steps.ts';
import type { Operation } from './update-state.ts';

function sent(progress: number, more: Partial<Operation> = {}): Operation {
  const head = { operation_id: 'x', kind: 'update_install', state: 'running', name: null } as const;
  return { ...head, progress, bytes_done: 1000, bytes_total: 1000, ...more };
}

test('a bundle is sent, verified and written', () => {
  assert.deepEqual(
    [0.29, 0.3, 0.57, 0.58, 0.59, 1].map((progress) => stepOf(sent(progress))),
    ['verify', 'verify', 'verify', 'verify', 'write', 'write'],
  );
  assert.equal(stepOf(sent(0.29, { bytes_done: 990 })), 'send');
  assert.equal(stepOf(sent(0.2, { bytes_done: 990, bytes_total: null })), 'send');
  assert.equal(shareOf(sent(0.1, { bytes_done: 250 })), 0.25);
  assert.equal(shareOf(sent(0.1, { bytes_done: 250, bytes_total: null })), undefined);
  assert.equal(shareOf(sent(0.44)), undefined);
  assert.ok(Math.abs((shareOf(sent(0.79)) ?? 0) - 0.5) < 0.01);
  assert.equal(shareOf(sent(1)), 1);
});

test('a bundle that the device fetches is not sent', () => {
  const fetched = { bytes_done: 0, bytes_total: null };
  assert.deepEqual(
    [0, 0.39, 0.41].map((progress) => stepOf(sent(progress, fetched))),
    ['verify', 'verify', 'write'],
  );
  assert.ok(Math.abs((shareOf(sent(0.7, fetched)) ?? 0) - 0.5) < 0.01);
});

test('the steps before the present one are done, those behind it open', () => {
  const states = (...given: Parameters<typeof stepsAt>) => stepsAt(...given).map(({ state }) => state);
  assert.deepEqual(states('write', 'failed'), ['done', 'done', 'failed', 'open', 'open']);
  assert.deepEqual(states('restart', 'open'), ['done', 'done', 'done', 'open', 'open']);
  assert.deepEqual(states(undefined, 'running'), ['done', 'done', 'done', 'done', 'done']);
});
