import assert from 'node:assert/strict';
import { open, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { errorCode, isDiskFull } from './system-error.ts';

test('errors of the system have a code, others none', async () => {
  const missing: unknown = await readFile('/nowhere/at/all').catch((error) => error);
  assert.equal(errorCode(missing), 'ENOENT');
  assert.equal(isDiskFull(missing), false);
  assert.equal(errorCode(Object.assign(new Error('odd'), { code: 28 })), undefined);
  for (const other of [new Error('ENOENT'), 'ENOENT', { code: 'ENOENT' }, null, undefined]) {
    assert.equal(errorCode(other), undefined);
  }
});

test('a full disk is told from other failures', { skip: process.platform !== 'linux' }, async () => {
  const full = await open('/dev/full', 'w');
  const refused: unknown = await full.write('x').catch((error) => error);
  await full.close();
  assert.equal(isDiskFull(refused), true);
});
