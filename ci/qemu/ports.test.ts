import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from './ports.ts';

test('no free port is allocated twice', async () => {
  const ports = new Set<number>();
  // The kernel chooses from about 14 000 ports at random: in 600 draws some repeat.
  for (let i = 0; i < 600; i++) ports.add(await freePort(0));
  assert.equal(ports.size, 600);
});
