import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { errorCode } from '../base/system-error.ts';
import { ApiError, storageError } from './errors.ts';

test('errorCode gives the code of system errors only', async () => {
  const missing: unknown = await readFile('/nowhere/at/all').catch((error: unknown) => error);
  assert.equal(errorCode(missing), 'ENOENT');
  for (const other of [
    new Error('ENOENT'),
    Object.assign(new Error('x'), { code: 5 }),
    'ENOENT',
    undefined,
  ]) {
    assert.equal(errorCode(other), undefined);
  }
});

test('a full disk is 507; a read-only or defective one is 503 with the reason', () => {
  for (const [code, status, message] of [
    ['ENOSPC', 507, /no room/],
    ['EDQUOT', 507, /no room/],
    ['EROFS', 503, /read-only/],
    ['EIO', 503, /input\/output error/],
  ] as const) {
    const told = storageError(Object.assign(new Error(code), { code }));
    assert.ok(told instanceof ApiError && told.status === status, code);
    assert.match(told.message, message);
  }
  for (const error of [Object.assign(new Error('EACCES'), { code: 'EACCES' }), new ApiError('conflict')]) {
    assert.equal(storageError(error), error);
  }
});

test('a message that quotes an unpaired surrogate is made well-formed', () => {
  assert.equal(new ApiError('conflict', 'There is no x\ud83d.').message, 'There is no x\ufffd.');
});
