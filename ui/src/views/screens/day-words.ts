/** Days and times in the words of a language. Pure. */
import { DAYS, type Day } from './week.ts';

/** 1 January 2024 was a Monday. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;

export function dayName(day: Day, language: string): string {
  const moment = MONDAY + DAYS.indexOf(day) * DAY_MS;
  return new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(moment);
}

/** A time of the day. @param time `HH:MM` */
export function clockText(time: string, language: string): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const moment = MONDAY + (hours * 60 + minutes) * MINUTE_MS;
  return new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' }).format(moment);
}
