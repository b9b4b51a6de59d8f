import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { limitedLog } from './limited-log.ts';

test('writes 50 records at once, then one in 5 s, with the number of those left out', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const records: { n: number; left_out?: number }[] = [];
  const log = limitedLog(
    pino({ base: null }, { write: (line: string) => void records.push(JSON.parse(line)) }),
  );
  const write = (count: number) => {
    for (let n = 0; n < count; n += 1) log[n % 2 === 0 ? 'warn' : 'error']({ n }, 'again');
  };
  write(1000);
  assert.equal(records.length, 50);
  assert.equal(records[49]?.left_out, undefined);
  now += 5000;
  write(10);
  assert.equal(records.length, 51);
  assert.equal(records[50]?.left_out, 950);
  now += 3_600_000;
  write(1000);
  assert.equal(records.length, 101);
  assert.equal(records[51]?.left_out, 9);
  assert.equal(records[52]?.left_out, undefined);
});
