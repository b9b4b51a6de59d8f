/** Numbers, sizes and times as people write them in a language. */

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** A duration in its two largest units: "3 days 4 hr", "45 sec". @param seconds 0 or more */
export function formatDuration(seconds: number, language: string): string {
  const whole = Math.max(0, Math.floor(seconds));
  const days = unit(Math.floor(whole / DAY_S), 'day', language);
  const hours = unit(Math.floor((whole % DAY_S) / HOUR_S), 'hour', language);
  const minutes = unit(Math.floor((whole % HOUR_S) / MINUTE_S), 'minute', language);
  const rest = unit(whole % MINUTE_S, 'second', language);
  if (whole >= DAY_S) return `${days} ${hours}`;
  if (whole >= HOUR_S) return `${hours} ${minutes}`;
  return whole >= MINUTE_S ? `${minutes} ${rest}` : rest;
}

function unit(value: number, name: string, language: string): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }).format(value);
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** A size with three digits at most: "1.25 GB". Units are powers of 1000, as on the labels of media. */
export function formatBytes(bytes: number, language: string): string {
  let value = bytes;
  let size = 0;
  while (value >= 999.5 && size < SIZES.length - 1) {
    value /= 1000;
    size += 1;
  }
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: SIZES[size] ?? 'byte',
    // The short form of one to 999 bytes has no plural.
    unitDisplay: size === 0 ? 'long' : 'short',
    maximumSignificantDigits: 3,
  }).format(value);
}

/** Date and time of an ISO 8601 timestamp, in the zone of this browser. */
export function formatTime(timestamp: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(timestamp),
  );
}

export function formatPercent(share: number, language: string): string {
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 }).format(share);
}

export function formatTemperature(celsius: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: 'celsius',
    maximumFractionDigits: 0,
  }).format(celsius);
}
