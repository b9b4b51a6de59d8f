/** When `display.power_schedule` turns the screen on and off. Pure: times in, times out. */

import type { Static } from 'typebox';
import * as Type from 'typebox';
import { matching } from '../../contract/shared.ts';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A span begins at most this many days before a moment in it, and the week repeats after seven. */
const DAYS_BEFORE = 3;
const DAYS_AFTER = 9;

const ClockTime = (description: string) =>
  Type.String({
    ...matching('^(?:[01]\\d|2[0-3]):[0-5]\\d$', 'must be hours and minutes, such as 08:00'),
    description,
    examples: ['08:00'],
  });

/** One entry: the screen is on between the two times, on some days of the week. */
export const PowerSpan = Type.Object(
  {
    days: Type.Array(Type.Enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), {
      minItems: 1,
      maxItems: 7,
      description: 'Days on which the screen is turned on',
    }),
    on: ClockTime('Hours and minutes in `device.timezone`'),
    off: ClockTime('Not later than `on`: on the next day'),
  },
  { $id: 'PowerSpan', additionalProperties: false },
);
export type PowerSpan = Static<typeof PowerSpan>;

/** What a schedule says of a moment. */
export interface Scheduled {
  on: boolean;
  /** When that changes next, in ms since 1970; undefined when it never does. */
  changesAt: number | undefined;
}

/**
 * Overlapping entries are a union. Each span begins and ends once, also when the clocks change: a time that is skipped
 * is the moment of the change, a time that comes twice is its first occurrence.
 * @param now ms since 1970
 * @param zone name of the IANA time zone database
 * @returns undefined for an empty schedule
 */
export function scheduledAt(
  schedule: readonly PowerSpan[],
  now: number,
  zone: string,
): Scheduled | undefined {
  if (schedule.length === 0) return undefined;
  const local = new LocalTime(zone);
  const today = Math.floor(local.of(now) / DAY_MS);
  const spans: [number, number][] = [];
  for (let day = today - DAYS_BEFORE; day <= today + DAYS_AFTER; day += 1) {
    // 1 January 1970 was a Thursday.
    const name = DAYS[(((day + 4) % 7) + 7) % 7];
    for (const { days, on, off } of schedule) {
      if (!days.some((one) => one === name)) continue;
      const end = off > on ? day : day + 1;
      spans.push([local.moment(day * DAY_MS + clockMs(on)), local.moment(end * DAY_MS + clockMs(off))]);
    }
  }
  const merged = merge(spans);
  const current = merged.find(([start, end]) => start <= now && now < end);
  if (!current) return { on: false, changesAt: merged.find(([start]) => start > now)?.[0] };
  const [, end] = current;
  // A span longer than a week never ends.
  return { on: true, changesAt: end > now + 8 * DAY_MS ? undefined : end };
}

/** Sorts spans and joins those that overlap or touch. */
function merge(spans: readonly [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [start, end] of spans.toSorted(([one], [other]) => one - other)) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** @param text `HH:MM` @returns ms since midnight */
function clockMs(text: string): number {
  const [hours, minutes] = text.split(':').map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000;
}

/** Converts between moments and local times, both in ms; a local time counts as if the zone were UTC. */
class LocalTime {
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  of(moment: number): number {
    const parts = Object.fromEntries(
      this.#format.formatToParts(moment).map(({ type, value }) => [type, value]),
    );
    const part = (name: string) => Number(parts[name]);
    return Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
  }

  /** The first moment at which the local clock shows this time, or else the one at which it passes it. */
  moment(local: number): number {
    const offsets = [local - DAY_MS, local + DAY_MS].map((near) => this.of(near) - near);
    const [before = 0, after = 0] = offsets;
    // A later offset means a skipped hour, an earlier one an hour that comes twice.
    const early = local - Math.max(before, after);
    const late = local - Math.min(before, after);
    if (this.of(early) === local) return early;
    if (this.of(late) === local) return late;
    return this.#change(early, late);
  }

  /** The moment between two at which the offset changes. */
  #change(from: number, to: number): number {
    let [low, high] = [from, to];
    const offset = this.of(low) - low;
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (this.of(middle) - middle === offset) low = middle;
      else high = middle;
    }
    return high;
  }
}
