import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from './ports.ts';

test('no free port is given twice', async () => {
  const ports = new Set<number>();
  // The kernel draws from some 14 000: among so many it gives the same one again.
  for (let i = 0; i < 600; i++) ports.add(await freePort(0));
  assert.equal(ports.size, 600);
});
