import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchFor } from './watch.ts';

test('a call that does not end is reported; others are passed on', async () => {
  const hung: string[] = [];
  const watch = watchFor((what) => hung.push(what), 5);
  assert.equal(await watch('Reading', Promise.resolve(7)), 7);
  await assert.rejects(watch('Writing', Promise.reject(new Error('EIO'))), /EIO/);
  await assert.rejects(watch('Sounding', new Promise(() => undefined), 20), /Sounding hangs/);
  assert.deepEqual(hung, ['Sounding']);
});
