import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasTwoSlots, isAboutToRestart, type UpdateStatus } from './slot-state.ts';
import { fleetWords, resultWords, slotWords } from './update-words.ts';

type Slot = UpdateStatus['slots']['a'];

const HAWKBIT = {
  enabled: false,
  connected: false,
  last_poll_ts: null,
  next_poll_ts: null,
  error: null,
  action: null,
};
const GOOD: Slot = { version: '1.0.0', state: 'good' };
const EMPTY: Slot = { version: null, state: 'unknown' };

/** A device that runs from slot A. */
function device(b: Slot, more: Partial<UpdateStatus> = {}): UpdateStatus {
  return {
    active_slot: 'a',
    slots: { a: GOOD, b },
    pending: null,
    last_result: null,
    hawkbit: HAWKBIT,
    ...more,
  };
}

test('a system without slots looks like one whose slot is being written for the first time only', () => {
  assert.equal(hasTwoSlots(device(EMPTY)), false);
  assert.equal(hasTwoSlots(device(GOOD)), true);
  assert.equal(hasTwoSlots(device({ version: null, state: 'bad' })), true);
  assert.equal(hasTwoSlots(device({ version: '1.1.0', state: 'unknown' })), true);
  assert.equal(hasTwoSlots(device(EMPTY, { pending: '1.1.0' })), true);
});

test('an update that was applied is neither pending nor good', () => {
  const installed: Slot = { version: '1.1.0', state: 'unknown' };
  assert.equal(isAboutToRestart(device(installed)), true);
  assert.equal(isAboutToRestart(device(installed, { pending: '1.1.0' })), false);
  assert.equal(isAboutToRestart(device(EMPTY)), false);
  assert.equal(isAboutToRestart(device(GOOD)), false);
});

test('the running slot is good or to be confirmed; the other one says what it can be used for', () => {
  const levels = [
    slotWords(device(GOOD), 'a', false),
    slotWords({ ...device(GOOD), slots: { a: { ...GOOD, state: 'unknown' }, b: GOOD } }, 'a', false),
    slotWords(device(GOOD), 'b', false),
    slotWords(device(EMPTY), 'b', true),
    slotWords(device({ version: null, state: 'bad' }), 'b', false),
  ].map(({ level }) => level);
  assert.deepEqual(levels, ['good', 'unknown', 'good', 'unknown', 'warning']);
});

test('a rollback is bad, and keeps the words of the device', () => {
  const result = { version: '1.1.0', slot: 'b', ts: '2026-01-01T00:00:00.000Z', reference: null } as const;
  const reason = { code: 'unhealthy', message: 'It waits for "first frame".' } as const;
  const back = resultWords({ ...result, outcome: 'rolled_back', reason });
  assert.deepEqual([back.level, back.detail], ['bad', 'It waits for "first frame".']);
  assert.equal(resultWords({ ...result, outcome: 'success', reason: null }).level, 'good');
});

test('an error of the fleet server comes before what it offers', () => {
  const fleet = { ...HAWKBIT, enabled: true, connected: true, last_poll_ts: '2026-01-01T00:00:00.000Z' };
  assert.equal(fleetWords(fleet).level, 'good');
  assert.equal(fleetWords({ ...fleet, connected: false }).level, 'warning');
  const action = { id: '8', version: '1.1.0', phase: 'waiting', progress: 0 } as const;
  assert.equal(fleetWords({ ...fleet, action }).level, 'unknown');
  const error = { code: 'unauthorized', message: 'The server answers 401.' } as const;
  const words = fleetWords({ ...fleet, action, error });
  assert.deepEqual([words.level, words.detail], ['bad', 'The server answers 401.']);
});
