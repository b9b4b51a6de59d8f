import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  barsOf,
  copied,
  DAYS,
  isSameWeek,
  isTime,
  isValid,
  MAX_SPANS,
  nextRange,
  type Span,
  spansIn,
  spansOf,
  weekOf,
  withDay,
} from './week.ts';

const DAY_MINUTES = 24 * 60;
const time = fc
  .integer({ min: 0, max: DAY_MINUTES - 1 })
  .map((at) => `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`);
const span = fc.record({ days: fc.subarray([...DAYS], { minLength: 1 }), on: time, off: time });
const schedule = fc.array(span, { maxLength: 12 });

/** The minutes of a week in which a schedule turns the screen on, by the words of the configuration. */
function minutesOf(spans: readonly Span[]): Set<number> {
  const minutes = new Set<number>();
  for (const { days, on, off } of spans) {
    const [start, end] = [on, off].map((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)));
    for (const day of days) {
      const from = DAYS.indexOf(day) * DAY_MINUTES + (start ?? 0);
      const length = ((end ?? 0) - (start ?? 0) + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
      for (let at = 0; at < length; at += 1) minutes.add((from + at) % (7 * DAY_MINUTES));
    }
  }
  return minutes;
}

test('a schedule that goes through the week means the same, and is the same the second time', () => {
  fc.assert(
    fc.property(schedule, (spans) => {
      const there = spansOf(weekOf(spans));
      assert.deepEqual(minutesOf(there), minutesOf(spans));
      assert.deepEqual(spansOf(weekOf(spansIn(JSON.parse(JSON.stringify(there))))), there);
      const ranges = there.map(({ on, off }) => `${on} ${off}`);
      assert.equal(new Set(ranges).size, ranges.length, 'days with the same range share an entry');
    }),
    { numRuns: 100 },
  );
});

test('the bars are the minutes in which the screen is on', () => {
  fc.assert(
    fc.property(schedule, (spans) => {
      const shown = new Set<number>();
      const bars = barsOf(weekOf(spans));
      for (const [index, day] of DAYS.entries()) {
        let last = -1;
        for (const { start, end } of bars[day]) {
          assert.ok(start > last && end > start && end <= DAY_MINUTES);
          last = end;
          for (let at = start; at < end; at += 1) shown.add(index * DAY_MINUTES + at);
        }
      }
      assert.deepEqual([...shown].sort(byNumber), [...minutesOf(spans)].sort(byNumber));
    }),
    { numRuns: 100 },
  );
});

const byNumber = (one: number, other: number) => one - other;

test('office hours of five days are one entry', () => {
  const monday = withDay(weekOf([]), 'mon', [{ on: '08:00', off: '18:00' }]);
  const week = copied(monday, 'mon', ['tue', 'wed', 'thu', 'fri']);
  assert.deepEqual(spansOf(week), [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], on: '08:00', off: '18:00' }]);
  assert.ok(isSameWeek(week, weekOf(spansOf(week))));
  assert.ok(!isSameWeek(week, monday));
});

test('what is no entry is left out, and what the device refuses is not valid', () => {
  const good = { days: ['sun', 'mon'], on: '22:00', off: '02:00' };
  const bad = [
    null,
    'x',
    { days: [], on: '08:00', off: '09:00' },
    { days: ['mon'], on: '8:00', off: '09:00' },
  ];
  assert.deepEqual(spansIn([...bad, good]), [{ days: ['mon', 'sun'], on: '22:00', off: '02:00' }]);
  assert.deepEqual(spansIn('always'), []);
  assert.ok(isTime('23:59') && !isTime('24:00') && !isTime('') && !isTime('08:00:00'));
  assert.equal(isValid(withDay(weekOf([]), 'mon', [{ on: '', off: '09:00' }])), false);
  const many = Array.from({ length: MAX_SPANS + 1 }, (_, at) => ({
    on: '00:00',
    off: `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`,
  }));
  assert.equal(isValid(withDay(weekOf([]), 'mon', many)), false);
  assert.equal(isValid(withDay(weekOf([]), 'mon', many.slice(1))), true);
});

test('one more range begins after the last one', () => {
  assert.deepEqual(nextRange([]), { on: '08:00', off: '18:00' });
  assert.deepEqual(nextRange([{ on: '08:00', off: '12:00' }]), { on: '13:00', off: '17:00' });
  assert.deepEqual(nextRange([{ on: '20:00', off: '22:00' }]), { on: '23:00', off: '23:59' });
  assert.deepEqual(nextRange([{ on: '20:00', off: '02:00' }]), { on: '08:00', off: '18:00' });
});
