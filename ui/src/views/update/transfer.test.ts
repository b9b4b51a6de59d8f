import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advanceTransfer, beginTransfer, restOf, speedOf } from './transfer.ts';

test('the speed is that of the last seconds, and needs bounded memory', () => {
  let transfer = beginTransfer(100_000_000, 0);
  assert.equal(speedOf(transfer), undefined);
  // A minute at 1 MB/s, then ten seconds at 100 kB/s.
  let sent = 0;
  for (let now = 20; now <= 70_000; now += 20) {
    sent += now <= 60_000 ? 20_000 : 2000;
    transfer = advanceTransfer(transfer, sent, 100_000_000, now);
    assert.ok(transfer.marks.length <= 25);
  }
  assert.equal(transfer.sent, 61_000_000);
  assert.ok(Math.abs((speedOf(transfer) ?? 0) - 100_000) < 1000, String(speedOf(transfer)));
  assert.ok(Math.abs((restOf(transfer) ?? 0) - 390) < 5, String(restOf(transfer)));
});

test('after a pause the speed is not that of long ago', () => {
  const begun = advanceTransfer(beginTransfer(1000, 0), 500, 1000, 1000);
  const later = advanceTransfer(begun, 510, 1000, 61_000);
  assert.ok((speedOf(later) ?? 0) < 10);
  assert.equal(restOf(advanceTransfer(beginTransfer(1000, 0), 0, 1000, 1000)), undefined);
});
