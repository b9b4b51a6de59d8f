import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyBundle, ZipError } from './index.ts';

test('what is no archive is refused', async () => {
  const bytes = Buffer.from('<!doctype html><p>not an archive');
  const source = {
    size: bytes.length,
    read: async (position: number, length: number) => bytes.subarray(position, position + length),
  };
  await assert.rejects(verifyBundle(source), ZipError);
});
