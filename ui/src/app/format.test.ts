import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes, formatDuration } from './format.ts';

/** Intl separates some units by a space that does not break. */
const plain = (text: string) => text.replaceAll(/\s/g, ' ');

test('durations have their two largest units', () => {
  const cases: [number, string][] = [
    [-3, '0 sec'],
    [45.9, '45 sec'],
    [60, '1 min 0 sec'],
    [3 * 3600 + 240, '3 hr 4 min'],
    [2 * 86_400 + 3600, '2 days 1 hr'],
  ];
  for (const [seconds, text] of cases) assert.equal(plain(formatDuration(seconds, 'en')), text);
});

test('sizes have three digits at most', () => {
  assert.equal(plain(formatBytes(999, 'en')), '999 bytes');
  assert.equal(plain(formatBytes(999_600, 'en')), '1 MB');
  assert.equal(plain(formatBytes(1_254_000_000, 'en')), '1.25 GB');
  assert.equal(plain(formatBytes(1_254_000_000, 'de')), '1,25 GB');
});
