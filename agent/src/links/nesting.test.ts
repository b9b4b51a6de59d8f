/** JSON that is nested too deeply gets the same answer on every link, and a level less is taken. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { createLogger } from '../base/logger.ts';
import { MAX_JSON_LEVELS } from '../contract/json.ts';
import { EventBus } from '../events/bus.ts';
import { listen } from './http.ts';
import { connect, failure } from './serial/tests/test-link.ts';
import { EventSocket } from './socket.ts';
import { testApp } from './tests/test-app.ts';

const REFUSED = { status: 400, code: 'bad_request' };
/** Deeper than JSON.stringify, a reviver and JSON.parse can go. */
const DEPTHS = [MAX_JSON_LEVELS + 1, 5000, 200_000];

/** A JSON object of so many levels. */
const object = (levels: number) => `{"value":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

test('of a REST body', async (t) => {
  const { app } = testApp();
  const http = await listen(app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(async () => {
    await http.close();
    await app.close();
  });
  const post = (body: string, path = 'echo') =>
    fetch(`${http.addresses[0]}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  const taken = await post(object(MAX_JSON_LEVELS));
  assert.equal(taken.status, 200);
  assert.equal(await taken.text(), object(MAX_JSON_LEVELS));
  for (const levels of DEPTHS) {
    const { status, ...answer } = await post(object(levels)).then(async (got) => ({
      status: got.status,
      ...JSON.parse(await got.text()),
    }));
    assert.deepEqual({ status, code: answer.error.code }, REFUSED);
    assert.equal(answer.error.message, 'The body is nested deeper than 200 levels.');
  }
  assert.equal((await post(object(5000), 'nothing')).status, 404);
});

const line = (id: number, body: string, path = 'echo') =>
  `{"id":${id},"type":"request","method":"POST","path":"/api/v1/${path}","body":${body}}\n`;

test('of a serial request', async () => {
  const { port } = await connect();
  port.send(line(1, object(MAX_JSON_LEVELS)));
  assert.equal((await port.line()).status, 200);
  for (const levels of DEPTHS) {
    port.send(line(2, object(levels)));
    const answer = await port.line();
    assert.deepEqual([failure(answer), answer.id], [REFUSED, 2]);
  }
  port.send(line(3, object(5000), 'nothing'));
  assert.deepEqual(failure(await port.line()), { status: 404, code: 'not_found' });
});

const frame = (levels: number) => `{"type":"page_message","payload":${object(levels)}}`;

test('of a serial frame', async () => {
  const payloads: unknown[] = [];
  const { port } = await connect({ sendToPage: async (payload) => void payloads.push(payload) });
  port.send(`${frame(MAX_JSON_LEVELS)}\n`);
  for (const levels of DEPTHS) {
    port.send(`${frame(levels)}\n`);
    assert.deepEqual(failure(await port.line()), { code: 'bad_request' });
  }
  assert.deepEqual(payloads, [JSON.parse(object(MAX_JSON_LEVELS))]);
});

test('of a frame on the WebSocket', async (t) => {
  const { app } = testApp();
  const payloads: unknown[] = [];
  const events = new EventSocket({
    bus: new EventBus(),
    log: createLogger('silent'),
    sendToPage: async (payload) => void payloads.push(payload),
  });
  const http = await listen(app, [{ host: '127.0.0.1', port: 0 }], events.upgrade);
  t.after(async () => {
    await Promise.all([events.close(), http.close()]);
    await app.close();
  });
  const socket = new WebSocket(`${http.addresses[0]?.replace('http', 'ws')}/api/v1/events`);
  await once(socket, 'open');
  socket.send(frame(MAX_JSON_LEVELS));
  for (const levels of DEPTHS) {
    socket.send(frame(levels));
    const [data] = await once(socket, 'message');
    assert.deepEqual(failure(JSON.parse(String(data))), { code: 'bad_request' });
  }
  assert.deepEqual(payloads, [JSON.parse(object(MAX_JSON_LEVELS))]);
});
