import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Type from 'typebox';
import { topic } from '../../contract/topics.ts';
import { topics } from '../../resources/contract.ts';
import { FILE } from '../tests/test-app.ts';
import { MAX_IN_FLIGHT } from './session.ts';
import type { MemoryPort } from './tests/memory-port.ts';
import { connect, failure, HELLO, request } from './tests/test-link.ts';

const displayState = topic('display_state', Type.Unknown(), 'test');
const logTopic = topic('log', Type.Unknown(), 'test');

/** Skips lines until one matches, since answers to different requests may come in any order. */
async function lineOf(port: MemoryPort, fits: (line: Record<string, unknown>) => boolean) {
  for (;;) {
    const line = await port.line();
    if (fits(line)) return line;
  }
}

const ERRORS: readonly [string, object | string, object][] = [
  ['an unknown path', request(1, 'GET', '/nothing'), { status: 404, code: 'not_found' }],
  [
    'a known path with a wrong method',
    request(1, 'PUT', '/echo'),
    { status: 405, code: 'method_not_allowed' },
  ],
  ['an unknown method', request(1, 'HEAD', '/echo'), { status: 400, code: 'bad_request' }],
  ['a path outside the API', { ...request(1, 'GET', ''), path: '/' }, { status: 404, code: 'not_found' }],
  ['a path with a blank', request(1, 'GET', '/a b'), { status: 400, code: 'bad_request' }],
  ['a path that is not text', { ...request(1, 'GET', ''), path: 5 }, { status: 400, code: 'bad_request' }],
  ['a path that does not decode', request(1, 'GET', '/file/%zz'), { status: 400, code: 'bad_request' }],
  ['a missing body', request(1, 'POST', '/echo'), { status: 400, code: 'bad_request' }],
  [
    'a body that does not match the schema',
    request(1, 'POST', '/echo', { body: [] }),
    { status: 400, code: 'bad_request' },
  ],
  [
    'a lone surrogate',
    request(1, 'POST', '/echo', { body: { value: '\ud83d' } }),
    { status: 400, code: 'bad_request' },
  ],
  ['the path of the WebSocket', request(1, 'GET', '/events'), { status: 400, code: 'bad_request' }],
  [
    'JSON for an upload',
    request(1, 'PUT', '/file/a', { body: {} }),
    { status: 415, code: 'unsupported_media_type' },
  ],
  [
    'bytes for JSON',
    request(1, 'POST', '/echo', { body_b64: 'AAAA' }),
    { status: 415, code: 'unsupported_media_type' },
  ],
  [
    'bytes where anything is taken',
    request(1, 'PATCH', '/anything', { body_b64: 'AAAA' }),
    { status: 415, code: 'unsupported_media_type' },
  ],
  [
    'bytes for an action without a body',
    request(1, 'POST', '/reboot', { body_b64: 'AAAA' }),
    { status: 415, code: 'unsupported_media_type' },
  ],
  ['bad base64', request(1, 'PUT', '/file/a', { body_b64: 'AA=A' }), { status: 400, code: 'bad_request' }],
  [
    'two bodies',
    request(1, 'PUT', '/file/a', { body_b64: '', body: 1 }),
    { status: 400, code: 'bad_request' },
  ],
];

for (const [what, frame, expected] of ERRORS) {
  test(`answers ${what} with an error`, async () => {
    const { port } = await connect();
    port.send(typeof frame === 'string' ? frame : { ...frame });
    const line = await port.line();
    assert.deepEqual(failure(line), expected);
    assert.equal(line.id, 1);
    port.send(request(2, 'POST', '/echo', { body: { value: 'still here' } }));
    assert.deepEqual(await port.line(), {
      id: 2,
      type: 'response',
      status: 200,
      body: { value: 'still here' },
    });
  });
}

test('answers pipelined requests by id, in the order in which they finish', async () => {
  const { port, release, waiting } = await connect();
  const frames = [
    request('slow', 'GET', '/slow'),
    ...[1, '1', 2.5].map((id) => request(id, 'POST', '/echo', { body: { value: id } })),
  ];
  port.send(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  const answers = [await port.line(), await port.line(), await port.line()];
  assert.deepEqual(
    answers.map(({ id, body }) => ({ id, body })),
    [1, '1', 2.5].map((id) => ({ id, body: { value: id } })),
  );
  assert.equal(waiting(), 1);
  release();
  assert.deepEqual(await port.line(), { id: 'slow', type: 'response', status: 200, body: {} });
});

test('returns a numeric id in its original spelling', async () => {
  const { port } = await connect();
  const ids = ['9007199254740993', '18446744073709551615', '1.0', '1e3', '-0', '1E400', '0.10', '7'];
  const tail = '"type":"request","method":"POST","path":"/api/v1/echo","body":{"id":5,"value":{"id":6}}';
  for (const id of ids) {
    for (const line of [`{"id":${id},${tail}}`, `{${tail}, "id" : ${id} }`, `{"id":8,"id":${id},${tail}}`]) {
      port.send(`${line}\n`);
      const answer = await port.until('\n');
      assert.equal(answer, `{"id":${id},"type":"response","status":200,"body":{"value":{"id":6}}}\n`);
    }
  }
  port.send(`{"id":"1.0\u0041",${tail}}\n`);
  assert.equal((await port.line()).id, '1.0A');
  for (const id of ['null', 'true', '[1]', '{"id":1}', '""', '9'.repeat(257)]) {
    port.send(`{"id":${id},${tail}}\n`);
    assert.deepEqual(failure(await port.line()), { code: 'bad_request' });
  }
});

test('limits the number of requests in flight', async () => {
  const { port, release } = await connect();
  for (let id = 0; id <= MAX_IN_FLIGHT; id += 1) port.send(request(id, 'GET', '/slow'));
  const refused = await port.line();
  assert.deepEqual(failure(refused), { status: 429, code: 'too_many_requests' });
  assert.equal(refused.id, MAX_IN_FLIGHT);
  release();
  for (let id = 0; id < MAX_IN_FLIGHT; id += 1) assert.equal((await port.line()).status, 200);
});

test('returns bytes as base64, and no body with 204', async () => {
  const { port } = await connect();
  port.send(request(1, 'GET', '/file'));
  assert.deepEqual(await port.line(), {
    id: 1,
    type: 'response',
    status: 200,
    body_b64: FILE.toString('base64'),
  });
  port.send(request(2, 'DELETE', '/file'));
  assert.deepEqual(await port.line(), { id: 2, type: 'response', status: 204 });
});

test('reports lines that are not frames, ignores empty and overlong ones, and goes on', async () => {
  const { port } = await connect();
  port.send('not json\n');
  const bad = await port.line();
  assert.deepEqual(failure(bad), { code: 'bad_frame' });
  port.send('\n\r\n');
  port.send(Buffer.alloc(1024 * 1024 + 1, 'x'));
  port.send('\n');
  for (const frame of ['{}\n', '{"type":"nonsense"}\n', '{"type":"request","method":"GET"}\n']) {
    port.send(frame);
    const line = await port.line();
    assert.deepEqual(failure(line), { code: 'bad_request' });
  }
  port.send(request(1, 'POST', '/echo', { body: { value: 1 } }));
  assert.equal((await port.line()).status, 200);
});

test('subscribes, acknowledges, unsubscribes', async () => {
  const { port, bus } = await connect();
  port.send({ type: 'subscribe', topics: ['display_state'] });
  assert.deepEqual(await port.line(), { type: 'subscribed', topics: ['display_state'] });
  bus.emit(displayState, { mode: 'waiting' });
  const event = await port.line();
  assert.deepEqual(
    { ...event, ts: '' },
    { type: 'event', topic: 'display_state', ts: '', payload: { mode: 'waiting' } },
  );
  port.send({ type: 'subscribe', topics: ['log', 'nothing'] });
  assert.equal((await port.line()).type, 'error');
  port.send({ type: 'unsubscribe', topics: ['display_state'] });
  assert.deepEqual(await port.line(), { type: 'subscribed', topics: [] });
});

test('a session ends when its host leaves', async () => {
  const { port, bus, release, waiting } = await connect();
  port.send({ type: 'subscribe', topics: ['display_state'] });
  await port.line();
  port.send(request(1, 'GET', '/slow'));
  port.send(request(2, 'PUT', '/file/a', { body_b64: '' }));
  port.send('{"half a li');
  while (waiting() === 0) await new Promise(setImmediate);
  port.leave();
  port.open();
  assert.deepEqual(await port.line(), HELLO);
  release();
  bus.emit(displayState, { mode: 'waiting' });
  port.send(request(3, 'POST', '/echo', { body: { value: 1 } }));
  assert.equal((await port.line()).id, 3);
  port.send({ id: 2, type: 'request_chunk', seq: 0, last: true, data_b64: '' });
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bad_request' });
});

test('does not answer echoes of its own lines', async () => {
  const { port } = await connect();
  const echoed = [
    HELLO,
    { type: 'error', error: { code: 'bad_frame', message: '' } },
    { type: 'subscribed', topics: [] },
    { type: 'event', topic: 'log', ts: '', payload: {} },
    { id: 1, type: 'response', status: 200 },
  ];
  for (const line of echoed) port.send({ ...line });
  port.send(request(2, 'POST', '/echo', { body: { value: 1 } }));
  assert.equal((await port.line()).id, 2);
});

test('greets again after a silence when the port cannot detect hosts', async (t) => {
  const { port } = await connect();
  port.detectsHost = false;
  const later = performance.now() + 120_000;
  t.mock.method(performance, 'now', () => later);
  port.send(request(1, 'POST', '/echo', { body: { value: 1 } }));
  assert.deepEqual(await port.line(), HELLO);
  assert.equal((await port.line()).id, 1);
});

test('answers every pipelined request, even when the answers exceed what the port holds', async () => {
  const { port } = await connect();
  const count = 100;
  const frames = Array.from({ length: count }, (_, id) => request(id, 'GET', '/large/175000'));
  port.send(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  const answered = new Set<unknown>();
  for (let index = 0; index < count; index += 1) {
    const { id, status } = await port.line();
    assert.equal(status, 200);
    answered.add(id);
  }
  assert.equal(answered.size, count);
  assert.equal(port.dropped, 0);
});

test('makes large answers only as the host reads them, and refuses one that can never fit', async () => {
  const { port, calls } = await connect();
  const count = 60;
  port.reading = false;
  for (let id = 0; id < count; id += 1) port.send(request(id, 'GET', '/large/2000000'));
  port.send(request(count, 'GET', '/large/12000000'));
  while (port.pendingBytes < 2_000_000) await new Promise(setImmediate);
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  assert.ok(calls.length <= 3, `${calls.length} were made for a host that does not read`);
  assert.ok(port.pendingBytes < 8_000_000, `${port.pendingBytes} bytes wait`);
  // A small request does not wait for all of them.
  port.send(request('small', 'POST', '/echo', { body: { value: 1 } }));
  port.reading = true;
  const statuses = new Map<unknown, unknown>();
  let small = 0;
  while (statuses.size < count + 2) {
    const { id, status } = await port.line();
    statuses.set(id, status);
    if (id === 'small') small = statuses.size;
  }
  assert.ok(small < 10, `the small answer came after ${small} others`);
  assert.equal(statuses.get(count), 429);
  statuses.delete(count);
  assert.deepEqual(new Set(statuses.values()), new Set([200]));
  assert.equal(port.dropped, 0);
});

test('unread answers count as requests in flight', async () => {
  const { port, calls } = await connect();
  port.reading = false;
  for (let id = 0; id < MAX_IN_FLIGHT; id += 1) port.send(request(id, 'POST', '/reboot'));
  while (calls.length < MAX_IN_FLIGHT) await new Promise(setImmediate);
  port.send(request('more', 'POST', '/reboot'));
  port.reading = true;
  assert.deepEqual(failure(await lineOf(port, ({ id }) => id === 'more')), {
    status: 429,
    code: 'too_many_requests',
  });
  assert.equal(calls.length, MAX_IN_FLIGHT);
});

test('pauses a host that sends requests without reading, until it reads or its session ends', async () => {
  const { port } = await connect();
  const body = { value: 'x'.repeat(800_000) };
  port.reading = false;
  for (let id = 0; id < 8; id += 1) port.send(request(id, 'POST', '/echo', { body }));
  while (!port.paused) await new Promise(setImmediate);
  port.reading = true;
  for (let count = 0; count < 8; count += 1) assert.equal((await port.line()).status, 200);
  assert.equal(port.paused, false);
  port.reading = false;
  for (let id = 0; id < 8; id += 1) port.send(request(id, 'POST', '/echo', { body }));
  while (!port.paused) await new Promise(setImmediate);
  port.leave();
  assert.equal(port.paused, false);
});

test('memory stays bounded when nobody reads the port, and nothing blocks', async () => {
  const { port, bus } = await connect();
  port.send({ type: 'subscribe', topics: topics.map(({ name }) => name) });
  await port.line();
  port.reading = false;
  const text = 'x'.repeat(2000);
  for (let count = 0; count < 20_000; count += 1) {
    bus.emit(logTopic, { message: text, count });
    if (count % 100 === 0) bus.emit(displayState, { url: text, count });
  }
  for (let id = 0; id < 4000; id += 1) {
    port.send(request(id, 'GET', '/file'));
    if (id % 100 === 0) await new Promise(setImmediate);
  }
  await new Promise(setImmediate);
  assert.ok(port.pendingBytes < 8 * 1024 * 1024, `${port.pendingBytes} bytes wait`);
  port.reading = true;
  // Every state arrives, and every request is answered or refused.
  const states: unknown[] = [];
  const answers = new Set<unknown>();
  let refused = 0;
  port.send(request('end', 'POST', '/echo', { body: { value: 1 } }));
  while (answers.size < 4001 || states.length < 200) {
    const line = await port.line();
    assert.notEqual(line.type, 'hello');
    if (line.topic === 'display_state') states.push(line.payload);
    if (line.type === 'response') answers.add(line.id);
    if (line.status === 429) refused += 1;
  }
  assert.deepEqual(
    states,
    states.map((_, index) => ({ url: text, count: index * 100 })),
  );
  assert.ok(refused > 0);
  assert.equal(port.dropped, 0);
});

test('a host that loses events gets a new session, announced by a hello', async () => {
  const { port, bus } = await connect();
  port.send({ type: 'subscribe', topics: ['display_state', 'log'] });
  await port.line();
  port.reading = false;
  const text = 'x'.repeat(2000);
  for (let count = 0; count < 2000; count += 1) bus.emit(displayState, { url: text, count });
  port.reading = true;
  const counts: unknown[] = [];
  for (let line = await port.line(); line.type !== 'hello'; line = await port.line()) {
    counts.push(JSON.parse(JSON.stringify(line.payload)).count);
  }
  assert.deepEqual(
    counts,
    counts.map((_, index) => index),
  );
  // It has to subscribe again.
  bus.emit(displayState, { unheard: true });
  port.send({ type: 'subscribe', topics: ['display_state'] });
  assert.deepEqual(await port.line(), { type: 'subscribed', topics: ['display_state'] });
  bus.emit(displayState, { last: true });
  assert.deepEqual((await port.line()).payload, { last: true });
});
