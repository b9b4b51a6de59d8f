/** `display.power_schedule` as a week: for each day, when the screen is turned on and off. Pure. */

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

/** Entries that the device accepts. */
export const MAX_SPANS = 64;
const DAY_MINUTES = 24 * 60;

/** From one time to another, each `HH:MM`. `off` is on the next day if it is not later than `on`. */
export interface Range {
  readonly on: string;
  readonly off: string;
}

/** An entry of the configuration. */
export interface Span extends Range {
  /** On which the screen is turned on. */
  readonly days: readonly Day[];
}

/** The ranges that begin on each day. */
export type Week = Readonly<Record<Day, readonly Range[]>>;

/** A part of a day in which the screen is on, in minutes since midnight. */
export interface Bar {
  readonly start: number;
  readonly end: number;
}

/** Whether a text is a time, as the configuration has it. */
export function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);
}

/** Whether a range ends on the day after it has begun. */
export function endsNextDay({ on, off }: Range): boolean {
  return off <= on;
}

/** The entries in a value of the configuration. What is none is left out. */
export function spansIn(value: unknown): Span[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((entry) => {
    const { days, on, off }: { days?: unknown; on?: unknown; off?: unknown } = Object(entry);
    const known = DAYS.filter((day) => Array.isArray(days) && days.includes(day));
    if (typeof on !== 'string' || typeof off !== 'string' || !isTime(on) || !isTime(off)) return [];
    return known.length > 0 ? [{ days: known, on, off }] : [];
  });
}

/** A week of which each day has what a function gives. */
function weekBy(ranges: (day: Day) => readonly Range[]): Week {
  return {
    mon: ranges('mon'),
    tue: ranges('tue'),
    wed: ranges('wed'),
    thu: ranges('thu'),
    fri: ranges('fri'),
    sat: ranges('sat'),
    sun: ranges('sun'),
  };
}

/** The ranges of each day in the order of their times, each once. */
export function weekOf(spans: readonly Span[]): Week {
  return weekBy((day) => tidy(spans.filter(({ days }) => days.includes(day))));
}

function tidy(ranges: readonly Range[]): Range[] {
  const texts = [...new Set(ranges.map(({ on, off }) => `${on} ${off}`))].sort();
  return texts.map((text) => {
    const [on = '', off = ''] = text.split(' ');
    return { on, off };
  });
}

/** The entries of a week: days with the same range share one. */
export function spansOf(week: Week): Span[] {
  const days = new Map<string, Day[]>();
  for (const day of DAYS) {
    for (const { on, off } of tidy(week[day])) {
      const key = `${on} ${off}`;
      days.set(key, [...(days.get(key) ?? []), day]);
    }
  }
  return [...days].map(([key, of]) => {
    const [on = '', off = ''] = key.split(' ');
    return { days: of, on, off };
  });
}

/** Whether two weeks say the same. */
export function isSameWeek(one: Week, other: Week): boolean {
  return JSON.stringify(spansOf(one)) === JSON.stringify(spansOf(other));
}

/** Whether the device accepts a week. */
export function isValid(week: Week): boolean {
  const hasTimes = DAYS.every((day) => week[day].every(({ on, off }) => isTime(on) && isTime(off)));
  return hasTimes && spansOf(week).length <= MAX_SPANS;
}

/** The week with other ranges on a day. */
export function withDay(week: Week, day: Day, ranges: readonly Range[]): Week {
  return weekBy((one) => (one === day ? ranges : week[one]));
}

/** The week with the ranges of one day on others, too. */
export function copied(week: Week, from: Day, to: readonly Day[]): Week {
  return weekBy((one) => (to.includes(one) ? week[from] : week[one]));
}

/** A range for a day that gets one more: some hours after its last one, else office hours. */
export function nextRange(ranges: readonly Range[]): Range {
  const last = ranges.at(-1);
  if (!last || endsNextDay(last) || last.off > '22:00') return { on: '08:00', off: '18:00' };
  const start = minutesOf(last.off) + 60;
  return { on: timeOf(start), off: timeOf(Math.min(start + 240, DAY_MINUTES - 1)) };
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function timeOf(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** When the screen is on during each day, also by ranges of the day before. Ranges that overlap or touch are one. */
export function barsOf(week: Week): Readonly<Record<Day, readonly Bar[]>> {
  const bars = (day: Day): Bar[] => {
    const before = DAYS[(DAYS.indexOf(day) + DAYS.length - 1) % DAYS.length] ?? day;
    return joined([
      ...week[before].filter(endsNextDay).map(({ off }) => ({ start: 0, end: minutesOf(off) })),
      ...week[day].map((range) => ({
        start: minutesOf(range.on),
        end: endsNextDay(range) ? DAY_MINUTES : minutesOf(range.off),
      })),
    ]);
  };
  return {
    mon: bars('mon'),
    tue: bars('tue'),
    wed: bars('wed'),
    thu: bars('thu'),
    fri: bars('fri'),
    sat: bars('sat'),
    sun: bars('sun'),
  };
}

function joined(bars: readonly Bar[]): Bar[] {
  const result: Bar[] = [];
  for (const bar of bars.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last && bar.start <= last.end)
      result.splice(-1, 1, { start: last.start, end: Math.max(last.end, bar.end) });
    else if (bar.end > bar.start) result.push(bar);
  }
  return result;
}
