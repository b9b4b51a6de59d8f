import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { ApiError } from '../contract/errors.ts';
import { receiveToMemory } from './receive.ts';

const hasCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

test('a body comes back whole, also one of exactly the limit', async () => {
  const body = Readable.from([Buffer.from('ab'), Buffer.from('cd')]);
  assert.equal((await receiveToMemory(body, 4)).toString(), 'abcd');
});

test('one byte more is refused, without waiting for the end or hanging up', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(1024);
  }
  const body = Readable.from(endless());
  await assert.rejects(receiveToMemory(body, 1023), hasCode('payload_too_large'));
  assert.equal(body.destroyed, false);
});

test('a body that breaks off is a bad request', async () => {
  const body = new Readable({ read: () => undefined });
  body.push('begin');
  const collected = receiveToMemory(body, 1024);
  body.destroy(new Error('aborted'));
  await assert.rejects(collected, hasCode('bad_request'));
});
