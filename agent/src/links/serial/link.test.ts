import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { TOPICS, topic } from '../../contract/topics.ts';
import { EventBus } from '../../events/bus.ts';
import { createLogger } from '../../system/logger.ts';
import { FILE, testApp } from '../test-app.ts';
import { SerialLink, type SerialLinkOptions } from './link.ts';
import { MemoryPort } from './memory-port.ts';
import { MAX_IN_FLIGHT } from './session.ts';
import { MAX_CHUNK_BYTES, MAX_UPLOADS, sweepUploads } from './uploads.ts';

const folder = await mkdtemp(join(tmpdir(), 'vitrine-link-'));
after(() => rm(folder, { recursive: true, force: true }));

const displayState = topic('display_state', Type.Unknown(), 'test');
const logTopic = topic('log', Type.Unknown(), 'test');
const HELLO = { type: 'hello', serial: 'S1', api: 'v1', name: 'Shop' };

async function connect(options: Partial<SerialLinkOptions> = {}) {
  const test = testApp();
  await test.app.ready();
  const bus = new EventBus();
  let port: MemoryPort | undefined;
  const link = new SerialLink({
    app: test.app,
    endpoints: test.endpoints,
    bus,
    log: createLogger('silent'),
    identity: () => ({ serial: 'S1', name: 'Shop' }),
    uploadFolder: folder,
    openPort: (handler) => {
      port = new MemoryPort(handler);
      return port;
    },
    ...options,
  });
  assert.ok(port);
  port.open();
  assert.deepEqual(await port.line(), HELLO);
  return { ...test, bus, link, port };
}

/** Lines until one fits, since frames of different requests may come in any order. */
async function lineOf(port: MemoryPort, fits: (line: Record<string, unknown>) => boolean) {
  for (;;) {
    const line = await port.line();
    if (fits(line)) return line;
  }
}

function code(line: Readonly<Record<string, unknown>>): unknown {
  const { body } = line;
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object'
    ? { status: line.status, ...pick(body.error) }
    : line;
}

function pick(error: object | null): object {
  return error && 'code' in error ? { code: error.code } : {};
}

function request(id: unknown, method: string, path: string, more: object = {}) {
  return { id, type: 'request', method, path: `/api/v1${path}`, ...more };
}

const ERRORS: readonly [string, object | string, object][] = [
  ['an unknown path', request(1, 'GET', '/nothing'), { status: 404, code: 'not_found' }],
  [
    'a known path with a wrong method',
    request(1, 'PUT', '/echo'),
    { status: 405, code: 'method_not_allowed' },
  ],
  ['a method there is none of', request(1, 'HEAD', '/echo'), { status: 400, code: 'bad_request' }],
  [
    'a path outside the interface',
    { ...request(1, 'GET', ''), path: '/' },
    { status: 404, code: 'not_found' },
  ],
  ['a path with a blank', request(1, 'GET', '/a b'), { status: 400, code: 'bad_request' }],
  ['a path that is none', { ...request(1, 'GET', ''), path: 5 }, { status: 400, code: 'bad_request' }],
  ['a path that does not decode', request(1, 'GET', '/file/%zz'), { status: 400, code: 'bad_request' }],
  ['a missing body', request(1, 'POST', '/echo'), { status: 400, code: 'bad_request' }],
  [
    'a body that does not fit',
    request(1, 'POST', '/echo', { body: [] }),
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
  ['bad base64', request(1, 'PUT', '/file/a', { body_b64: 'AA=A' }), { status: 400, code: 'bad_request' }],
  [
    'two bodies',
    request(1, 'PUT', '/file/a', { body_b64: '', body: 1 }),
    { status: 400, code: 'bad_request' },
  ],
  [
    'a body nested too deeply',
    `{"id":1,"type":"request","method":"POST","path":"/api/v1/echo","body":${'['.repeat(200_000)}${']'.repeat(200_000)}}\n`,
    { status: 400, code: 'bad_request' },
  ],
];

for (const [what, frame, expected] of ERRORS) {
  test(`answers ${what} with an error`, async () => {
    const { port } = await connect();
    port.send(typeof frame === 'string' ? frame : { ...frame });
    const line = await port.line();
    assert.deepEqual(code(line), expected);
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

test('answers pipelined requests, each under its id, as they are done', async () => {
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

test('refuses more requests than it can have under way', async () => {
  const { port, release } = await connect();
  for (let id = 0; id <= MAX_IN_FLIGHT; id += 1) port.send(request(id, 'GET', '/slow'));
  const refused = await port.line();
  assert.deepEqual(code(refused), { status: 429, code: 'too_many_requests' });
  assert.equal(refused.id, MAX_IN_FLIGHT);
  release();
  for (let id = 0; id < MAX_IN_FLIGHT; id += 1) assert.equal((await port.line()).status, 200);
});

test('gives bytes as base64, and no body with 204', async () => {
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

test('tells of lines that are no frames, ignores empty and endless ones, and goes on', async () => {
  const { port } = await connect();
  port.send('not json\n');
  const bad = await port.line();
  assert.equal(bad.type, 'error');
  assert.deepEqual(pick(bad.error as object), { code: 'bad_frame' });
  port.send('\n\r\n');
  port.send(Buffer.alloc(1024 * 1024 + 1, 'x'));
  port.send('\n');
  for (const frame of ['{}\n', '{"type":"nonsense"}\n', '{"type":"request","method":"GET"}\n']) {
    port.send(frame);
    const line = await port.line();
    assert.equal(line.type, 'error');
    assert.deepEqual(pick(line.error as object), { code: 'bad_request' });
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

test('a host that leaves takes its session with it', async () => {
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
  assert.deepEqual(code(await port.line()), { status: 400, code: 'bad_request' });
});

test('greets again after a silence where hosts cannot be seen to come', async (t) => {
  const { port } = await connect();
  port.detectsHost = false;
  const later = performance.now() + 120_000;
  t.mock.method(performance, 'now', () => later);
  port.send(request(1, 'POST', '/echo', { body: { value: 1 } }));
  assert.deepEqual(await port.line(), HELLO);
  assert.equal((await port.line()).id, 1);
});

test('a port that nobody reads fills no memory and blocks nothing', async () => {
  const { port, bus } = await connect();
  port.send({ type: 'subscribe', topics: [...TOPICS] });
  await port.line();
  port.reading = false;
  const text = 'x'.repeat(2000);
  for (let count = 0; count < 20_000; count += 1) {
    bus.emit(logTopic, { message: text, count });
    if (count % 10 === 0) bus.emit(displayState, { url: text, count });
  }
  for (let id = 0; id < 4000; id += 1) {
    port.send(request(id, 'GET', '/file'));
    if (id % 100 === 0) await new Promise(setImmediate);
  }
  await new Promise(setImmediate);
  assert.ok(port.pendingBytes < 8 * 1024 * 1024, `${port.pendingBytes} bytes wait`);
  port.reading = true;
  // The newest state comes through, the answers that were refused say why.
  const states: unknown[] = [];
  let refused = 0;
  port.send(request('end', 'POST', '/echo', { body: { value: 1 } }));
  for (let line = await port.line(); line.id !== 'end'; line = await port.line()) {
    if (line.topic === 'display_state') states.push(line.payload);
    if (line.status === 429) refused += 1;
  }
  assert.ok(refused > 0);
  bus.emit(displayState, { last: true });
  const last = await lineOf(
    port,
    ({ topic: name, payload }) => name === 'display_state' && JSON.stringify(payload) === '{"last":true}',
  );
  assert.ok(last);
});

// Uploads

const BYTES = Buffer.from(Array.from({ length: 40_000 }, (_, index) => (index * 31 + (index >> 8)) & 255));

function chunk(id: unknown, seq: number, bytes: Buffer, last: boolean) {
  return { id, type: 'request_chunk', seq, last, data_b64: bytes.toString('base64') };
}

function sent(bytes: Buffer) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes: bytes.length, announced: bytes.length, sha256 };
}

function upload(port: MemoryPort, id: unknown, bytes: Buffer, step = MAX_CHUNK_BYTES): void {
  port.send(request(id, 'PUT', '/file/a', { body_b64: '' }));
  const count = Math.max(Math.ceil(bytes.length / step), 1);
  for (let seq = 0; seq < count; seq += 1) {
    port.send(chunk(id, seq, bytes.subarray(seq * step, (seq + 1) * step), seq === count - 1));
  }
}

test('takes an upload in chunks, an empty one, one inline, and several at once', async () => {
  const { port } = await connect();
  upload(port, 1, BYTES);
  assert.deepEqual(await port.line(), { id: 1, type: 'response', status: 200, body: sent(BYTES) });
  upload(port, 2, Buffer.alloc(0));
  assert.deepEqual(await port.line(), { id: 2, type: 'response', status: 200, body: sent(Buffer.alloc(0)) });
  port.send(request(3, 'PUT', '/file/a', { body_b64: BYTES.toString('base64') }));
  assert.deepEqual(await port.line(), { id: 3, type: 'response', status: 200, body: sent(BYTES) });
  for (let id = 0; id < MAX_UPLOADS; id += 1) port.send(request(id, 'PUT', '/file/a', { body_b64: '' }));
  for (let seq = 0; seq < 3; seq += 1) {
    for (let id = 0; id < MAX_UPLOADS; id += 1) {
      port.send(chunk(id, seq, BYTES.subarray(seq * 1000, (seq + 1) * 1000), seq === 2));
    }
  }
  for (let count = 0; count < MAX_UPLOADS; count += 1) {
    assert.deepEqual((await port.line()).body, sent(BYTES.subarray(0, 3000)));
  }
  assert.deepEqual(await readdir(folder), []);
});

const small = Buffer.from('abc');
const UPLOAD_ERRORS: readonly [string, object[], object][] = [
  ['that starts late', [chunk(1, 1, small, false)], { status: 400, code: 'bad_request' }],
  ['with a gap', [chunk(1, 0, small, false), chunk(1, 2, small, true)], { status: 400, code: 'bad_request' }],
  [
    'with a chunk twice',
    [chunk(1, 0, small, false), chunk(1, 0, small, true)],
    { status: 400, code: 'bad_request' },
  ],
  [
    'without seq',
    [{ id: 1, type: 'request_chunk', last: true, data_b64: '' }],
    { status: 400, code: 'bad_request' },
  ],
  [
    'without last',
    [{ id: 1, type: 'request_chunk', seq: 0, data_b64: '' }],
    { status: 400, code: 'bad_request' },
  ],
  [
    'without data',
    [{ id: 1, type: 'request_chunk', seq: 0, last: true }],
    { status: 400, code: 'bad_request' },
  ],
  [
    'of bad base64',
    [{ ...chunk(1, 0, small, true), data_b64: 'a-b_' }],
    { status: 400, code: 'bad_request' },
  ],
  [
    'with a chunk that is too large',
    [chunk(1, 0, Buffer.alloc(MAX_CHUNK_BYTES + 1), true)],
    { status: 413, code: 'payload_too_large' },
  ],
  [
    'past the limit of its endpoint',
    Array.from({ length: 17 }, (_, seq) => chunk(1, seq, Buffer.alloc(MAX_CHUNK_BYTES), false)),
    { status: 413, code: 'payload_too_large' },
  ],
];

for (const [what, chunks, expected] of UPLOAD_ERRORS) {
  test(`ends an upload ${what} with one error`, async () => {
    const { port } = await connect();
    port.send(request(1, 'PUT', '/file/a', { body_b64: '' }));
    for (const frame of chunks) port.send({ ...frame });
    assert.deepEqual(code(await port.line()), expected);
    // What was on its way is not answered again, and the id can be used anew.
    if (!chunks.some((frame) => 'last' in frame && frame.last === true)) {
      port.send(chunk(1, 7, small, false));
      port.send(chunk(1, 8, small, true));
    }
    upload(port, 1, BYTES);
    assert.deepEqual((await port.line()).body, sent(BYTES));
    assert.deepEqual(await readdir(folder), []);
  });
}

test('gives up an upload that stops, and one whose id begins another request', async () => {
  const { port } = await connect({ uploadIdleMs: 40 });
  port.send(request(1, 'PUT', '/file/a', { body_b64: '' }));
  port.send(chunk(1, 0, small, false));
  assert.deepEqual(code(await port.line()), { status: 400, code: 'bad_request' });
  port.send(request(1, 'PUT', '/file/a', { body_b64: '' }));
  port.send(request(1, 'POST', '/echo', { body: { value: 1 } }));
  assert.deepEqual(code(await port.line()), { status: 400, code: 'bad_request' });
  assert.equal((await port.line()).status, 200);
});

test('refuses chunks of no upload, too many uploads, and uploads to what takes none', async () => {
  const { port } = await connect();
  port.send(chunk('stray', 0, small, false));
  assert.deepEqual(code(await port.line()), { status: 400, code: 'bad_request' });
  port.send(chunk('stray', 1, small, true));
  for (let id = 0; id <= MAX_UPLOADS; id += 1) port.send(request(id, 'PUT', '/file/a', { body_b64: '' }));
  const refused = await port.line();
  assert.equal(refused.id, MAX_UPLOADS);
  assert.deepEqual(code(refused), { status: 429, code: 'too_many_requests' });
  port.send(chunk(MAX_UPLOADS, 0, small, true));
  port.send(request('json', 'POST', '/echo', { body_b64: '' }));
  port.send(chunk('json', 0, small, true));
  assert.deepEqual(code(await port.line()), { status: 400, code: 'bad_request' });
  port.send(request('none', 'PUT', '/nothing', { body_b64: '' }));
  port.send(chunk('none', 0, small, true));
  assert.deepEqual(code(await port.line()), { status: 404, code: 'not_found' });
});

test('an endpoint that does not read its upload answers all the same', async () => {
  const { port } = await connect();
  port.send(request(1, 'PUT', '/unread', { body_b64: '' }));
  for (let seq = 0; seq < 64; seq += 1) port.send(chunk(1, seq, Buffer.alloc(MAX_CHUNK_BYTES), seq === 63));
  assert.deepEqual(code(await port.line()), { status: 409, code: 'conflict' });
});

test('an endpoint behind a closed gate refuses its upload before it has come', async () => {
  const { port } = await connect();
  port.send(request(1, 'PUT', '/unwired', { body_b64: '' }));
  assert.deepEqual(code(await port.line()), { status: 501, code: 'not_implemented' });
  port.send(chunk(1, 0, small, true));
  upload(port, 2, BYTES);
  assert.deepEqual((await port.line()).body, sent(BYTES));
});

test('makes a host that is quicker than the disk wait', async () => {
  const { port } = await connect();
  port.send(request(1, 'PUT', '/unread', { body_b64: '' }));
  for (let seq = 0; seq < 65; seq += 1) port.send(chunk(1, seq, Buffer.alloc(MAX_CHUNK_BYTES), false));
  assert.equal(port.paused, true);
  while (port.paused) await new Promise(setImmediate);
  port.send(chunk(1, 65, small, true));
  assert.deepEqual(code(await port.line()), { status: 409, code: 'conflict' });
});

test('sweeps what a crash left', async () => {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(join(folder, 'upload-01234567-89ab-cdef-0123-456789abcdef'), 'left');
  await sweepUploads(folder);
  assert.deepEqual(await readdir(folder), []);
});

// Shell

test('a shell takes the line and gives it back', async () => {
  const { port } = await connect();
  port.send({ type: 'subscribe', topics: ['display_state'] });
  await port.line();
  port.send('{"type":"shell"}\n');
  port.send('stty -echo; echo "begin $((6 * 7)) <$NOTIFY_SOCKET>"; tty\n');
  await port.until('begin 42 <>');
  await port.until('/dev/pts/');
  port.send('exit\n');
  await port.until('\n{"type":"hello"');
  await port.until('\n');
  port.send(request(1, 'POST', '/echo', { body: { value: 'back' } }));
  assert.deepEqual((await port.line()).body, { value: 'back' });
});

test('a shell dies with its link, and with all it started', async () => {
  const { port } = await connect();
  port.send('{"type":"shell"}\n');
  port.send('stty -echo; trap "" HUP; echo "p""id=$$="; sleep 1000\n');
  await port.until('pid=');
  const pid = Number((await port.until('=')).slice(0, -1));
  assert.ok(pid > 1);
  assert.doesNotThrow(() => process.kill(pid, 0));
  port.leave();
  const deadline = performance.now() + 5000;
  while (performance.now() < deadline) {
    try {
      process.kill(pid, 0);
      await new Promise((resolve) => setTimeout(resolve, 20));
    } catch {
      break;
    }
  }
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  port.open();
  assert.deepEqual(await port.line(), HELLO);
});

test('a shell whose output nobody reads waits', async () => {
  const { port } = await connect({ shellCommand: ['/bin/sh'] });
  port.send('{"type":"shell"}\n');
  port.reading = false;
  port.send('PS1=%"%"; yes\n');
  while (port.pendingBytes < 256 * 1024) await new Promise(setImmediate);
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
  assert.ok(port.pendingBytes < 1024 * 1024, `${port.pendingBytes} bytes wait`);
  port.reading = true;
  port.send('\u0003');
  await port.until('%%');
  port.send('exit\n');
  await port.until('{"type":"hello"');
});

test('where there is no shell the link says so and goes on', async () => {
  const { port } = await connect({ shellCommand: ['/nonexistent/shell'] });
  port.send('{"type":"shell"}\n');
  assert.equal((await port.line()).type, 'error');
  port.send(request(1, 'POST', '/echo', { body: { value: 1 } }));
  assert.equal((await port.line()).status, 200);
});
