import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import {
  type Change,
  CONFIRM_MS,
  IDLE,
  LEAVE_MS,
  RETRY_MS,
  SHOW_MS,
  step,
  type TrialEffect,
  type TrialEvent,
  type TrialState,
} from './trial.ts';
import { recordOf, resumed } from './trial-record.ts';

const CHANGE: Change = { tried: { rotation: 90 }, earlier: { rotation: 0 } };
type Told = TrialEvent['type'] | { needsRestart: boolean };

/** Tells events at their times, each `[time, what]`, and lists the effects. */
function run(events: readonly (readonly [number, Told])[], state: TrialState = IDLE) {
  const effects: [number, TrialEffect][] = [];
  for (const [now, told] of events) {
    const [next, effect] = step(state, eventOf(told), now);
    state = next;
    if (effect) effects.push([now, effect]);
  }
  return { state, effects };
}

function eventOf(told: Told): TrialEvent {
  if (typeof told === 'object') return { type: 'applied', ...told };
  if (told === 'start') return { type: 'start', change: CHANGE };
  if (told === 'applied') return { type: 'applied', needsRestart: false };
  return { type: told };
}

const ASKED = [
  [0, 'start'],
  [100, 'applied'],
] as const;

test('a change that is confirmed in time stays', () => {
  const { state, effects } = run([...ASKED, [15_099, 'tick'], [15_099, 'keep']]);
  assert.deepEqual(state, { phase: 'idle', outcome: 'kept' });
  assert.deepEqual(effects, [[0, 'apply']]);
});

test('it is undone at the end of the time, when the dialog is closed, and until the device has answered', () => {
  const late = run([...ASKED, [100 + CONFIRM_MS, 'tick'], [16_000, 'keep']]);
  assert.deepEqual(late.effects.at(-1), [100 + CONFIRM_MS, 'undo']);
  assert.equal(late.state.phase, 'undoing');
  assert.deepEqual(run([[17_000, 'undone']], late.state).state, { phase: 'idle', outcome: 'late' });
  const failed = run([
    ...ASKED,
    [200, 'close'],
    [300, 'undo_failed'],
    [299 + RETRY_MS, 'tick'],
    [300 + RETRY_MS, 'tick'],
  ]);
  assert.deepEqual(failed.effects, [
    [0, 'apply'],
    [200, 'undo'],
    [300 + RETRY_MS, 'undo'],
  ]);
});

test('a lost connection undoes it as soon as it is back, whatever the answer was', () => {
  for (const before of [ASKED, ASKED.slice(0, 1)]) {
    const { state, effects } = run([...before, [1000, 'lost'], [1100, 'applied'], [2000, 'connected']]);
    assert.deepEqual(effects.slice(1), [[2000, 'undo']]);
    assert.deepEqual(run([[2100, 'undone']], state).state, { phase: 'idle', outcome: 'lost' });
  }
});

test('what needs a restart is asked about after it, and undone by another restart', () => {
  const { state, effects } = run([
    [0, 'start'],
    [100, { needsRestart: true }],
    [90_000, 'tick'],
    [100_000, 'restart'],
    [100_100, 'restart_accepted'],
    [101_000, 'lost'],
    [150_000, 'connected'],
    [160_000, 'shown'],
    [160_000 + CONFIRM_MS, 'tick'],
  ]);
  assert.deepEqual(effects, [
    [0, 'apply'],
    [100_000, 'restart'],
    [150_000, 'watch'],
    [160_000 + CONFIRM_MS, 'undo_and_restart'],
  ]);
  const returning = run([[176_000, 'undone']], state).state;
  assert.equal(returning.phase, 'returning');
  const back = [
    [177_000, 'lost'],
    [220_000, 'connected'],
  ] as const;
  assert.deepEqual(run(back, returning).state, { phase: 'idle', outcome: 'late' });
  assert.deepEqual(run([[176_000 + LEAVE_MS, 'tick']], returning).state, { phase: 'idle', outcome: 'late' });
});

test('a restart that does not happen, and a screen that shows nothing, end the waiting', () => {
  const asked = run([
    [0, 'start'],
    [100, { needsRestart: true }],
    [200, 'restart'],
  ]).state;
  assert.equal(run([[300, 'restart_refused']], asked).state.phase, 'stored');
  const unknown = run(
    [
      [300, 'lost'],
      [900, 'connected'],
    ],
    asked,
  );
  assert.deepEqual(unknown.effects, [[900, 'undo_and_restart']]);
  const accepted = run([[300, 'restart_accepted']], asked).state;
  assert.deepEqual(run([[200 + LEAVE_MS, 'tick']], accepted).effects, [[200 + LEAVE_MS, 'undo_and_restart']]);
  const starting = run(
    [
      [400, 'lost'],
      [1000, 'connected'],
    ],
    accepted,
  ).state;
  assert.equal(run([[1000 + SHOW_MS, 'tick']], starting).state.phase, 'asking');
});

test('a reload takes a change back, or asks about it after the restart', () => {
  const asking = run(ASKED).state;
  const reloaded = resumed(recordOf(asking), 5000);
  assert.deepEqual(run([[5100, 'connected']], reloaded).effects, [[5100, 'undo']]);
  const gone = run([
    [0, 'start'],
    [100, { needsRestart: true }],
    [200, 'restart'],
    [210, 'restart_accepted'],
    [300, 'lost'],
  ]).state;
  const back = run(
    [
      [6000, 'connected'],
      [7000, 'shown'],
    ],
    resumed(recordOf(gone), 5000),
  ).state;
  assert.deepEqual([back.phase, recordOf(back)?.includes('restarted')], ['asking', true]);
  for (const record of [undefined, '', '{', 'null', '[]', '{"place":"x","change":{"tried":{},"earlier":{}}}'])
    assert.equal(resumed(record, 0), IDLE, record);
  const half = JSON.stringify({ place: 'changed', change: { tried: {} } });
  assert.equal(resumed(half, 0), IDLE);
});

/** How long the device takes at most until it goes down, in ms. */
const SLOWEST_MS = 30_000;

/** A device, the link to it, and the page that drives the machine. */
class World {
  state: TrialState = IDLE;
  now = 0;
  /** Whether the change takes effect without a restart. */
  isLive = true;
  isTriedStored = false;
  isTriedInEffect = false;
  isOnline = true;
  /** It has accepted to restart. */
  isLeaving = false;
  #leavesAt = 0;
  isKept = false;
  /** Requests that the device has not answered, in order. */
  #pending: TrialEffect[] = [];

  tell(event: TrialEvent): void {
    if (event.type === 'keep' && this.state.phase === 'asking') {
      assert.ok(this.isTriedInEffect, 'what is confirmed is on the screen');
      assert.ok(this.isOnline, 'the device is there');
      this.isKept = true;
    }
    const [next, effect] = step(this.state, event, this.now);
    this.state = next;
    if (effect && effect !== 'watch') this.#pending.push(effect);
    if (next.phase === 'asking') assert.ok(this.now - next.since < CONFIRM_MS || event.type !== 'tick');
  }

  start(isLive: boolean): void {
    if (this.state.phase !== 'idle' || !this.isOnline || this.#pending.length > 0) return;
    this.isLive = isLive;
    this.isTriedStored = false;
    this.isTriedInEffect = false;
    this.isKept = false;
    this.tell({ type: 'start', change: CHANGE });
  }

  wait(ms: number): void {
    for (let passed = 0; passed < ms; passed += 1000) {
      this.now += 1000;
      if (this.now >= this.#leavesAt) this.goDown();
      this.tell({ type: 'tick' });
    }
  }

  setOnline(isOnline: boolean): void {
    if (isOnline === this.isOnline) return;
    this.isOnline = isOnline;
    // A device that has accepted to restart does so while nobody hears it.
    if (this.isLeaving) this.isTriedInEffect = this.isTriedStored;
    this.isLeaving = false;
    this.tell({ type: isOnline ? 'connected' : 'lost' });
  }

  /** The device goes down, if it has been told to. */
  goDown(): void {
    if (this.isLeaving) this.setOnline(false);
  }

  /** The device answers the first request, or does not. */
  answer(how: 'done' | 'refused' | 'lost'): void {
    const effect = this.#pending.shift();
    if (effect === undefined) return;
    const isDone = this.isOnline && how !== 'refused';
    if (isDone) this.#do(effect);
    const isKnown = isDone && how === 'done';
    const isRefused = this.isOnline && how === 'refused';
    if (effect === 'apply') {
      if (isKnown) this.tell({ type: 'applied', needsRestart: !this.isLive });
      else this.tell({ type: isRefused ? 'refused' : 'unanswered' });
    } else if (effect === 'restart') {
      const heard = isRefused ? 'restart_refused' : 'unanswered';
      this.tell({ type: isKnown ? 'restart_accepted' : heard });
    } else {
      this.tell({ type: isKnown ? 'undone' : 'undo_failed' });
    }
  }

  /** The page is loaded again. What it has sent arrives, or does not. */
  reload(arrives: boolean): void {
    for (const effect of this.#pending.splice(0)) if (arrives && this.isOnline) this.#do(effect);
    this.state = resumed(recordOf(this.state), this.now);
    this.tell({ type: this.isOnline ? 'connected' : 'lost' });
  }

  #do(effect: TrialEffect): void {
    if (effect !== 'restart') this.isTriedStored = effect === 'apply';
    if (effect !== 'restart' && this.isLive) this.isTriedInEffect = this.isTriedStored;
    if (effect === 'apply' || effect === 'undo') return;
    this.isLeaving = true;
    this.#leavesAt = this.now + SLOWEST_MS;
  }
}

const ACTS: Readonly<Record<string, (world: World) => void>> = {
  'start live': (world) => world.start(true),
  'start at boot': (world) => world.start(false),
  answered: (world) => world.answer('done'),
  'answered again': (world) => world.answer('done'),
  refused: (world) => world.answer('refused'),
  'no answer': (world) => world.answer('lost'),
  'short time': (world) => world.wait(2000),
  'long time': (world) => world.wait(70_000),
  'connection lost': (world) => world.setOnline(false),
  'connection back': (world) => world.setOnline(true),
  'device goes down': (world) => world.goDown(),
  restart: (world) => world.tell({ type: 'restart' }),
  keep: (world) => world.tell({ type: 'keep' }),
  close: (world) => world.tell({ type: 'close' }),
  left: (world) => world.tell({ type: 'left' }),
  'shown, if it is there': (world) => {
    if (world.isOnline) world.tell({ type: 'shown' });
  },
  reload: (world) => world.reload(true),
  'reload without arrival': (world) => world.reload(false),
};

test('whatever happens, the screen ends with what was confirmed, else with what was before', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...Object.keys(ACTS)), { maxLength: 40 }), (names) => {
      const world = new World();
      for (const name of names) ACTS[name]?.(world);
      // Nobody does anything any more, and the device works again.
      for (let round = 0; round < 20; round += 1) {
        world.goDown();
        world.setOnline(true);
        world.answer('done');
        if (world.state.phase === 'stored') world.tell({ type: 'close' });
        world.wait(20_000);
      }
      assert.equal(world.state.phase, 'idle');
      const { isTriedStored, isTriedInEffect, isKept } = world;
      assert.deepEqual([isTriedStored, isTriedInEffect], [isKept, isKept]);
    }),
    { numRuns: repetitions(3000, 100_000) },
  );
});
