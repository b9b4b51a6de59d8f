import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { collectBody } from './body.ts';
import { ApiError } from './errors.ts';

const hasCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

test('collects a body, also one of exactly the limit', async () => {
  const body = Readable.from([Buffer.from('ab'), Buffer.from('cd')]);
  assert.equal((await collectBody(body, 4)).toString(), 'abcd');
});

test('refuses one byte more at once, and does not destroy the request', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(1024);
  }
  const body = Readable.from(endless());
  await assert.rejects(collectBody(body, 1023), hasCode('payload_too_large'));
  assert.equal(body.destroyed, false);
});

test('a body that ends early is a bad request', async () => {
  const body = new Readable({ read: () => undefined });
  body.push('begin');
  const collected = collectBody(body, 1024);
  body.destroy(new Error('aborted'));
  await assert.rejects(collected, hasCode('bad_request'));
});
