import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Line } from '../../parts/stream/entry.ts';
import { LogFeed, type LogRecord } from './log-feed.ts';

const record = (n: number): LogRecord => ({
  ts: new Date(n).toISOString(),
  level: 'info',
  source: 'test',
  message: `line ${n}`,
  cursor: `s=${n}`,
});
const records = (from: number, to: number): LogRecord[] =>
  Array.from({ length: to - from + 1 }, (_, n) => record(from + n));

function start() {
  const lines: Line[] = [];
  return { feed: new LogFeed({ add: (line) => lines.push(line) }), lines };
}
const numbers = (lines: readonly Line[]): number[] => lines.map(({ at }) => at);
const gaps = (lines: readonly Line[]): number[] => lines.flatMap(({ at, missing }) => (missing ? [at] : []));

test('stored records come first, each one once', () => {
  const { feed, lines } = start();
  feed.begin();
  feed.live(record(4));
  feed.live(record(5));
  assert.deepEqual(lines, []);
  feed.stored(records(1, 4));
  feed.live(record(5));
  feed.live(record(6));
  assert.deepEqual([numbers(lines), gaps(lines)], [[1, 2, 3, 4, 5, 6], []]);
  assert.deepEqual(lines[0], { at: 1, level: 'info', source: 'test', text: 'line 1', missing: 0 });
});

test('after a loss of the connection the log goes on where it was', () => {
  const { feed, lines } = start();
  feed.begin();
  feed.stored(records(1, 3));
  feed.begin();
  feed.live(record(6));
  feed.stored(records(2, 6));
  assert.deepEqual([numbers(lines), gaps(lines)], [[1, 2, 3, 4, 5, 6], []]);
});

test('if more was written than the device gives, the place is marked', () => {
  const { feed, lines } = start();
  feed.begin();
  feed.stored(records(1, 3));
  feed.begin();
  feed.stored(records(10, 12));
  assert.deepEqual([numbers(lines), gaps(lines)], [[1, 2, 3, 10, 11, 12], [10]]);
});

test('live records are not held back for ever when the stored ones cannot be read', () => {
  const { feed, lines } = start();
  feed.begin();
  feed.live(record(2));
  feed.failed();
  assert.deepEqual(lines, [], 'the user can try again, and gets them in order');
  feed.stored(records(1, 2));
  feed.begin();
  feed.live(record(5));
  feed.failed();
  feed.live(record(6));
  assert.deepEqual([numbers(lines), gaps(lines)], [[1, 2, 5, 6], [5]]);
});

test('what is remembered and what waits is bounded', () => {
  const { feed, lines } = start();
  feed.begin();
  for (let n = 0; n < 20_000; n += 1) feed.live(record(n));
  feed.stored([]);
  assert.equal(lines.length, 5000);
  assert.equal(lines.at(-1)?.at, 19_999);
});
