import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Speed } from './speed.ts';

test('the speed is that of the last seconds', () => {
  const speed = new Speed();
  assert.equal(speed.perSecond, undefined);
  speed.add(0, 1000);
  speed.add(100_000, 1100);
  assert.equal(speed.perSecond, undefined);
  speed.add(500_000, 1500);
  assert.equal(speed.perSecond, 1_000_000);
  for (let at = 1510; at <= 11_500; at += 10) speed.add(500_000 + (at - 1500) * 10, at);
  assert.ok(Math.abs((speed.perSecond ?? 0) - 10_000) < 1);
});

test('a transfer that stands still has the speed 0', () => {
  const speed = new Speed();
  speed.add(0, 0);
  speed.add(1000, 1000);
  speed.add(1000, 3000);
  speed.add(1000, 6500);
  assert.equal(speed.perSecond, 0);
});
