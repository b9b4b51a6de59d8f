import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import type { TelevisionPower, TelevisionReport } from './ports.ts';
import { GIVE_UP_MS, INITIAL_POWER, isVisible, type PowerState, powerMachine } from './power-machine.ts';

const SECOND = 1000;
const plugged = (power: TelevisionPower | null): TelevisionReport => ({ state: 'plugged', power });

interface Habits {
  slownessMs: number;
  /** Number of commands that it ignores. */
  ignores: number;
  reportsMoving: boolean;
  unplugsInStandby: boolean;
}

/** A television as in the field: slow, with reports that come late, answers that are lost, commands that it ignores. */
class SimulatedTelevision {
  isOn = true;
  #changesAt = Number.POSITIVE_INFINITY;
  #goal = true;
  readonly #habits: Habits;
  commands = 0;

  constructor(habits: Habits) {
    this.#habits = habits;
  }

  take(on: boolean, now: number): void {
    this.commands += 1;
    if (this.commands <= this.#habits.ignores || (on === this.#goal && this.#goal !== this.isOn)) return;
    this.#goal = on;
    this.#changesAt = now + this.#habits.slownessMs;
  }

  report(now: number, isLost: boolean): TelevisionReport {
    if (now >= this.#changesAt) {
      this.isOn = this.#goal;
      this.#changesAt = Number.POSITIVE_INFINITY;
    }
    if (!this.isOn && this.#goal === this.isOn && this.#habits.unplugsInStandby)
      return { state: 'unplugged' };
    if (isLost) return plugged(null);
    if (this.#goal !== this.isOn && this.#habits.reportsMoving)
      return plugged(this.#goal ? 'to_on' : 'to_standby');
    return plugged(this.isOn ? 'on' : 'standby');
  }
}

test('each request ends in 30 s: the television has followed it, or it is reported that it did not', () => {
  const habits = fc.record({
    slownessMs: fc.integer({ min: 0, max: 60 * SECOND }),
    ignores: fc.integer({ min: 0, max: 6 }),
    reportsMoving: fc.boolean(),
    unplugsInStandby: fc.boolean(),
  });
  const losses = fc.infiniteStream(fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0));
  fc.assert(
    fc.property(
      habits,
      fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
      losses,
      (character, requests, lost) => {
        const television = new SimulatedTelevision(character);
        let state: PowerState = INITIAL_POWER;
        let now = 0;
        for (const on of requests) {
          television.take(on, now);
          television.commands = 1;
          state = powerMachine(state, { event: 'requested', on, at: now }).state;
          for (const end = now + GIVE_UP_MS + 2 * SECOND; now < end; now += SECOND) {
            const report = television.report(now, lost.next().value === true);
            const { state: next, effects } = powerMachine(state, { event: 'reported', report, at: now });
            for (const effect of effects) television.take(effect.on, now);
            if (report.state === 'plugged' && report.power)
              assert.equal(isVisible(next), report.power === 'on');
            if (state.request && !next.request && !next.failure) assert.equal(television.isOn, on);
            state = next;
          }
          assert.equal(state.request, undefined, 'the request has ended');
          assert.ok(television.commands <= 4, `${television.commands} commands`);
          const { slownessMs, ignores } = character;
          if (slownessMs < 10 * SECOND && ignores === 0) assert.equal(state.failure, undefined);
        }
      },
    ),
    { numRuns: repetitions(500, 5000) },
  );
});

/** The state after reports, one each second. */
function after(reports: readonly TelevisionReport[], from: PowerState = INITIAL_POWER): PowerState {
  return reports.reduce(
    (state, report, second) => powerMachine(state, { event: 'reported', report, at: second * SECOND }).state,
    from,
  );
}

test('one report is no proof: televisions give the old power, or the new one for a moment', () => {
  const { state } = powerMachine(after([plugged('on')]), { event: 'requested', on: false, at: 0 });
  assert.ok(after([plugged('standby')], state).request);
  assert.ok(after([plugged('standby'), plugged('on'), plugged('standby')], state).request);
  assert.equal(after([plugged('on'), plugged('standby'), plugged('standby')], state).request, undefined);
});

test('a lost answer changes nothing, three in a row make the power unknown', () => {
  const off = after([plugged('standby')]);
  assert.equal(isVisible(after([plugged(null), plugged(null)], off)), false);
  assert.equal(isVisible(after([plugged(null), plugged(null), plugged(null)], off)), undefined);
  const answers = [plugged(null), plugged(null), plugged('standby'), plugged(null), plugged(null)];
  assert.equal(isVisible(after(answers, off)), false);
  assert.equal(isVisible(after([{ state: 'unplugged' }], off)), undefined);
});

test('a failure ends when the television does later what was asked, or by the next request', () => {
  const { state } = powerMachine(INITIAL_POWER, { event: 'requested', on: true, at: 0 });
  const failed = powerMachine(state, { event: 'reported', report: plugged('standby'), at: GIVE_UP_MS }).state;
  assert.deepEqual(failed.failure, { on: true, reports: 'reports standby' });
  assert.deepEqual(after([plugged('standby')], failed).failure, failed.failure);
  assert.equal(after([plugged('on')], failed).failure, undefined);
  assert.equal(powerMachine(failed, { event: 'requested', on: true, at: 0 }).state.failure, undefined);
});

test('a television that looks unplugged has followed a command to switch off', () => {
  const { state } = powerMachine(after([plugged('on')]), { event: 'requested', on: false, at: 0 });
  assert.equal(after([{ state: 'unplugged' }, { state: 'unplugged' }], state).request, undefined);
});

test('a request and its failure end with the adapter', () => {
  const { state } = powerMachine(after([plugged('on')]), { event: 'requested', on: false, at: 0 });
  const failed = powerMachine(state, { event: 'reported', report: plugged('on'), at: GIVE_UP_MS }).state;
  assert.notEqual(failed.failure, undefined);
  for (const before of [state, failed]) {
    assert.deepEqual(after([{ state: 'no_cec' }], before), {
      ...INITIAL_POWER,
      report: { state: 'no_cec' },
    });
  }
});
