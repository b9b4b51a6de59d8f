import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closest } from './spelling.ts';

const KNOWN = ['subscribe', 'unsubscribe', 'page_message', 'url', 'a'];

test('finds what was meant, and nothing in what is too different', () => {
  for (const [given, meant] of [
    ['subscrib', 'subscribe'],
    ['suscribe', 'subscribe'],
    ['subscirbe', 'subscribe'],
    ['Subscribe', 'subscribe'],
    ['unsubscribe_', 'unsubscribe'],
    ['pageMessage', 'page_message'],
    ['ulr', 'url'],
    ['uri', 'url'],
    ['xyz', undefined],
    ['b', undefined],
    ['', undefined],
    ['s'.repeat(100_000), undefined],
  ] as const) {
    assert.equal(closest(given, KNOWN), meant, given.slice(0, 20));
  }
});
