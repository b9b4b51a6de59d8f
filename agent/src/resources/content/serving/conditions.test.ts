import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { acceptsGzip, precondition, requestedRange } from './conditions.ts';

const ETAG = '"v1"';

test('entity tags are compared as RFC 9110 says', () => {
  const table: [header: 'if-match' | 'if-none-match', value: string, outcome: string][] = [
    // Section 13.1.2, weak comparison
    ['if-none-match', '"v1"', 'not_modified'],
    ['if-none-match', 'W/"v1"', 'not_modified'],
    ['if-none-match', '*', 'not_modified'],
    ['if-none-match', '"a", "v1"', 'not_modified'],
    ['if-none-match', '"a","b" ,\tW/"v1"  ', 'not_modified'],
    ['if-none-match', ',, "v1" ,', 'not_modified'],
    ['if-none-match', '"with,comma", "v1"', 'not_modified'],
    ['if-none-match', '"v2"', 'holds'],
    ['if-none-match', '"V1"', 'holds'],
    ['if-none-match', 'w/"v1"', 'holds'],
    ['if-none-match', 'v1', 'holds'],
    ['if-none-match', '"v1', 'holds'],
    ['if-none-match', '"x" "v1"', 'holds'],
    ['if-none-match', '"x, v1"', 'holds'],
    ['if-none-match', '', 'holds'],
    // Section 13.1.1, strong comparison
    ['if-match', '"v1"', 'holds'],
    ['if-match', '*', 'holds'],
    ['if-match', '"a", "v1"', 'holds'],
    ['if-match', 'W/"v1"', 'precondition_failed'],
    ['if-match', '"v2"', 'precondition_failed'],
    ['if-match', '', 'precondition_failed'],
  ];
  for (const [header, value, outcome] of table) {
    assert.equal(precondition({ [header]: value }, ETAG), outcome, `${header}: ${value}`);
  }
  assert.equal(precondition({}, ETAG), 'holds');
  assert.equal(precondition({ 'if-match': '"v2"', 'if-none-match': '"v1"' }, ETAG), 'precondition_failed');
  assert.equal(precondition({ 'if-match': '"v1"', 'if-none-match': '"v1"' }, ETAG), 'not_modified');
});

// A pattern with backtracking would take minutes for each.
test('a long invalid list is rejected quickly', { timeout: 30_000 }, () => {
  assert.equal(precondition({ 'if-none-match': `${', '.repeat(8000)}x` }, ETAG), 'holds');
  assert.equal(precondition({ 'if-none-match': `${'"a" '.repeat(4000)}` }, ETAG), 'holds');
});

test('ranges are read as RFC 9110 says', () => {
  const table: [range: string, bytes: number, outcome: [number, number] | 'unsatisfiable' | 'whole'][] = [
    ['bytes=0-499', 10000, [0, 500]],
    ['bytes=500-999', 10000, [500, 1000]],
    ['bytes=-500', 10000, [9500, 10000]],
    ['bytes=9500-', 10000, [9500, 10000]],
    ['bytes=0-0', 10000, [0, 1]],
    ['bytes=-1', 10000, [9999, 10000]],
    ['bytes=0-', 10000, [0, 10000]],
    ['bytes=9999-9999', 10000, [9999, 10000]],
    ['bytes=9999-20000', 10000, [9999, 10000]],
    [`bytes=0-${'9'.repeat(400)}`, 10000, [0, 10000]],
    ['bytes=-20000', 10000, [0, 10000]],
    ['BYTES=0-0', 10000, [0, 1]],
    ['bytes=007-008', 10000, [7, 9]],
    ['bytes=10000-', 10000, 'unsatisfiable'],
    ['bytes=10000-10001', 10000, 'unsatisfiable'],
    [`bytes=${'9'.repeat(400)}-`, 10000, 'unsatisfiable'],
    ['bytes=-0', 10000, 'unsatisfiable'],
    // Invalid (14.1.1), another unit, or several ranges: the whole.
    ['bytes=5-4', 10000, 'whole'],
    ['bytes=20000-10000', 10000, 'whole'],
    ['bytes=', 10000, 'whole'],
    ['bytes=-', 10000, 'whole'],
    ['bytes=a-b', 10000, 'whole'],
    ['bytes=0-1,5-6', 10000, 'whole'],
    ['bytes=0-1, bytes=5-6', 10000, 'whole'],
    ['bytes 0-1', 10000, 'whole'],
    ['bytes=0 - 1', 10000, 'whole'],
    ['bytes=+0-1', 10000, 'whole'],
    ['bytes=--1', 10000, 'whole'],
    ['bytes=0x0-1', 10000, 'whole'],
    ['items=0-1', 10000, 'whole'],
    ['', 10000, 'whole'],
    // An empty file
    ['bytes=0-', 0, 'whole'],
    ['bytes=-5', 0, 'whole'],
  ];
  for (const [range, bytes, outcome] of table) {
    const found = requestedRange({ range }, ETAG, bytes);
    const seen = found === undefined ? 'whole' : found === 'unsatisfiable' ? found : [found.start, found.end];
    assert.deepEqual(seen, outcome, `${range.slice(0, 40)} of ${bytes}`);
  }
  assert.equal(requestedRange({}, ETAG, 10), undefined);
});

test('If-Range allows a range only for exactly this version', () => {
  const range = 'bytes=0-1';
  const found = (condition: string) => requestedRange({ range, 'if-range': condition }, ETAG, 10);
  assert.deepEqual(found('"v1"'), { start: 0, end: 2 });
  for (const other of ['"v2"', 'W/"v1"', 'v1', '*', '', '"v1", "v1"', 'Sat, 29 Oct 1994 19:43:31 GMT']) {
    assert.equal(found(other), undefined, other);
  }
});

test('any resulting range is within the content', () => {
  const position = fc.oneof(fc.nat(300), fc.constant(''), fc.bigInt({ min: 0n }));
  fc.assert(
    fc.property(position, position, fc.nat(200), (first, last, bytes) => {
      const found = requestedRange({ range: `bytes=${first}-${last}` }, ETAG, bytes);
      if (found === undefined || found === 'unsatisfiable') return;
      assert.ok(0 <= found.start && found.start < found.end && found.end <= bytes);
    }),
  );
});

test('Accept-Encoding is evaluated as RFC 9110 says', () => {
  const table: [value: string | undefined, gzip: boolean][] = [
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['GZip', true],
    ['x-gzip', true],
    ['gzip, deflate, br', true],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', true],
    ['*', true],
    ['deflate', false],
    ['identity', false],
    ['gzip;q=0', false],
    ['gzip;q=0.000', false],
    ['gzip;q=0, *', false],
    ['*;q=0', false],
    ['*;q=0, gzip', true],
    ['identity;q=1, *;q=0', false],
    ['identity;q=1, gzip;q=0.5', false],
    ['identity;q=0.5, gzip;q=1', true],
    ['identity;q=0, gzip;q=0.001', true],
    ['gzip ; q=0.5', true],
    ['gzip;Q=0', false],
    ['gzip;q=1.000', true],
    [' ,gzip,, ', true],
    // Against the grammar
    ['gzip;q=2', false],
    ['gzip;q=-1', false],
    ['gzip;q=', false],
    ['gzip;q=0.5555', false],
    ['gzip;level=9', false],
    ['gz ip', false],
  ];
  for (const [value, gzip] of table) assert.equal(acceptsGzip(value), gzip, String(value));
});
