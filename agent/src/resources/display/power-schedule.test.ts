import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import { type PowerSpan, scheduledAt } from './power-schedule.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** A Monday in a zone, in a week without a change of the clocks. */
const MONDAY = Date.UTC(2026, 6, 6);

const at = (text: string) => Date.parse(text);

const clock = fc
  .integer({ min: 0, max: 24 * 60 - 1 })
  .map((minutes) => new Date(minutes * MINUTE).toISOString().slice(11, 16));
const span = fc.record({
  days: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 7 }),
  on: clock,
  off: clock,
});

/** Whether an entry has the screen on, in minutes since Monday of a week that repeats. */
function isOn(schedule: readonly PowerSpan[], minute: number): boolean {
  const day = Math.floor(minute / 1440);
  const text = new Date((minute % 1440) * MINUTE).toISOString().slice(11, 16);
  const [today, yesterday] = [NAMES[day % 7], NAMES[(day + 6) % 7]];
  return schedule.some(({ days, on, off }) => {
    const overNight = off <= on;
    if (days.some((name) => name === today) && text >= on && (overNight || text < off)) return true;
    return overNight && days.some((name) => name === yesterday) && text < off;
  });
}

test('any schedule, at any minute of the week: the same as asking each minute alone', () => {
  fc.assert(
    fc.property(
      fc.array(span, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 7 * 1440 - 1 }),
      fc.constantFrom(
        { zone: 'UTC', offset: 0 },
        { zone: 'Asia/Kolkata', offset: 330 },
        { zone: 'Pacific/Kiritimati', offset: 840 },
      ),
      (schedule, minute, { zone, offset }) => {
        const now = MONDAY + (minute - offset) * MINUTE;
        const on = isOn(schedule, minute);
        let next = minute + 1;
        while (next <= minute + 7 * 1440 && isOn(schedule, next) === on) next += 1;
        const changesAt = next > minute + 7 * 1440 ? undefined : MONDAY + (next - offset) * MINUTE;
        assert.deepEqual(scheduledAt(schedule, now, zone), { on, changesAt });
      },
    ),
    { numRuns: repetitions(200, 2000) },
  );
});

test('an empty schedule says nothing', () => {
  assert.equal(scheduledAt([], MONDAY, 'UTC'), undefined);
});

test('on the days when the clocks change, each time counts once', () => {
  const berlin = (moment: string, schedule: PowerSpan) => {
    const found = scheduledAt([schedule], at(moment), 'Europe/Berlin');
    return [found?.on, new Date(found?.changesAt ?? 0).toISOString().slice(0, 16)];
  };
  const sunday = (on: string, off: string): PowerSpan => ({ days: ['sun'], on, off });
  // 29 March 2026: 02:00 becomes 03:00, at 01:00 UTC. 02:30 does not exist.
  assert.deepEqual(berlin('2026-03-29T00:59Z', sunday('02:30', '08:00')), [false, '2026-03-29T01:00']);
  assert.deepEqual(berlin('2026-03-29T01:00Z', sunday('02:30', '08:00')), [true, '2026-03-29T06:00']);
  assert.deepEqual(berlin('2026-03-29T00:59Z', sunday('01:00', '02:30')), [true, '2026-03-29T01:00']);
  // 25 October 2026: 03:00 becomes 02:00, at 01:00 UTC. 02:30 comes twice, the first time at 00:30 UTC.
  assert.deepEqual(berlin('2026-10-25T00:29Z', sunday('02:30', '08:00')), [false, '2026-10-25T00:30']);
  assert.deepEqual(berlin('2026-10-25T01:30Z', sunday('02:30', '08:00')), [true, '2026-10-25T07:00']);
  assert.deepEqual(berlin('2026-10-25T00:29Z', sunday('01:00', '02:30')), [true, '2026-10-25T00:30']);
  assert.deepEqual(berlin('2026-10-25T01:29Z', sunday('01:00', '02:30')), [false, '2026-11-01T00:00']);
});

test('the day is the one where the device is', () => {
  const friday: PowerSpan = { days: ['fri'], on: '00:00', off: '00:00' };
  // 9 July 2026 is a Thursday in London and a Friday in Auckland.
  const now = at('2026-07-09T13:00Z');
  assert.equal(scheduledAt([friday], now, 'Europe/London')?.on, false);
  assert.equal(scheduledAt([friday], now, 'Pacific/Auckland')?.on, true);
  assert.equal(scheduledAt([friday], now + DAY, 'Pacific/Auckland')?.on, false);
});
