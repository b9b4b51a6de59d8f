import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, HELLO, request } from './tests/test-link.ts';

test('frames that a host terminal echoes are not answered, so that the two do not talk for ever', async () => {
  const { port } = await connect();
  port.send(HELLO);
  port.send('broken\n');
  const error = await port.line();
  assert.equal(error.type, 'error');
  port.send(error);
  port.send({ type: 'subscribe', topics: [] });
  const subscribed = await port.line();
  assert.equal(subscribed.type, 'subscribed');
  port.send(subscribed);
  port.send(request(1, 'POST', '/echo', { body: { value: 1 } }));
  const response = await port.line();
  assert.equal(response.id, 1);
  port.send(response);
  port.send(request(2, 'POST', '/echo', { body: { value: 2 } }));
  assert.equal((await port.line()).id, 2);
});
