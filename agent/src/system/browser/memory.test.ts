import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupMemory, heldMemory } from './memory.ts';

test('counts anonymous and shared memory, and no page cache', () => {
  assert.equal(heldMemory('anon 1000\nfile 900000\nkernel 70\nshmem 24\n'), 1024);
});

test('a file without the fields gives null', () => {
  assert.equal(heldMemory('inactive_anon 5\n'), null);
});

test('a process that has ended gives null', async () => {
  assert.equal(await groupMemory(0x7fffffff), null);
});
