import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANSWER_MS, type LinkEvent, SILENCE_MS, START, step } from './link-state.ts';

/** A link that was opened at 1000 ms. */
const ONLINE = step(START, { type: 'opened' }, 1000)[0];

/** Applies events at their times, and lists the effects. */
function run(state: typeof START, events: readonly (readonly [LinkEvent['type'], number])[]) {
  const effects: unknown[] = [];
  for (const [type, now] of events) {
    assert.ok(type !== 'expect');
    const [next, effect] = step(state, { type }, now);
    state = next;
    if (effect) effects.push([effect, now]);
  }
  return { state, effects };
}

test('a lost connection is tried again with growing pauses, and the time of the loss stays', () => {
  const { state, effects } = run(ONLINE, [
    ['ended', 2000],
    ['tick', 2499],
    ['tick', 2500],
    ['ended', 2600],
    ['tick', 3500],
    ['tick', 3600],
    ['ended', 3700],
  ]);
  assert.deepEqual(effects, [
    ['connect', 2500],
    ['connect', 3600],
  ]);
  assert.deepEqual([state.lostAt, state.attempts, state.retryAt], [2000, 2, 5700]);
  const late = { ...state, attempts: 50, phase: 'connecting' } as const;
  assert.equal(step(late, { type: 'ended' }, 10_000)[0].retryAt, 15_000);
  assert.equal(step(state, { type: 'opened' }, 9000)[0].lostAt, undefined);
});

test('a reason to try at once shortens a pause, and does nothing else', () => {
  const [waiting] = step(ONLINE, { type: 'ended' }, 2000);
  assert.equal(step(waiting, { type: 'wake' }, 2001)[1], 'connect');
  assert.deepEqual(step(ONLINE, { type: 'wake' }, 2000), [ONLINE]);
  const [trying] = step(waiting, { type: 'wake' }, 2001);
  assert.deepEqual(step(trying, { type: 'wake' }, 2002), [trying]);
});

test('a silent connection is asked once, and given up without an answer', () => {
  const asked = 1000 + SILENCE_MS;
  const silent = run(ONLINE, [
    ['tick', asked - 1],
    ['tick', asked],
    ['tick', asked + 1000],
    ['tick', asked + ANSWER_MS],
  ]);
  assert.deepEqual(silent.effects, [
    ['probe', asked],
    ['drop', asked + ANSWER_MS],
  ]);
  assert.equal(silent.state.phase, 'waiting');
  const answered = run(ONLINE, [
    ['tick', asked],
    ['heard', asked + ANSWER_MS - 1],
    ['tick', asked + ANSWER_MS],
  ]);
  assert.deepEqual([answered.state.phase, answered.state.probedAt], ['online', undefined]);
});

test('a computer that has slept asks before it gives the connection up', () => {
  const { state, effects } = run(ONLINE, [['tick', 3_600_000]]);
  assert.deepEqual([state.phase, effects], ['online', [['probe', 3_600_000]]]);
});

test('an announced absence explains the next loss, until the device is back or too much time has passed', () => {
  const [told] = step(ONLINE, { type: 'expect', absence: 'reboot' }, 2000);
  const [lost] = step(told, { type: 'ended' }, 4000);
  assert.equal(lost.absence?.kind, 'reboot');
  assert.equal(step(lost, { type: 'opened' }, 60_000)[0].absence, undefined);
  const [heard] = step(told, { type: 'heard' }, 700_000);
  assert.equal(step(heard, { type: 'tick' }, 700_001)[0].absence, undefined);
  assert.equal(step(told, { type: 'expect', absence: undefined }, 2001)[0].absence, undefined);
});
