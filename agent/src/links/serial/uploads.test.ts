import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { MemoryPort } from './tests/memory-port.ts';
import { connect, failure, request } from './tests/test-link.ts';
import { MAX_CHUNK_BYTES, MAX_UPLOADS } from './upload-machine.ts';
import { MAX_QUEUED_CHUNKS, Uploads, type UploadsOptions } from './uploads.ts';

const BYTES = Buffer.from(Array.from({ length: 40_000 }, (_, index) => (index * 31 + (index >> 8)) & 255));

function chunk(id: unknown, seq: number, bytes: Buffer, last: boolean) {
  return { id, type: 'request_chunk', seq, last, data_b64: bytes.toString('base64') };
}

/** The answer to an upload. @param announced length; -1 for none, as with chunks */
function sent(bytes: Buffer, announced = -1) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes: bytes.length, announced, sha256 };
}

function upload(port: MemoryPort, id: unknown, bytes: Buffer, step = MAX_CHUNK_BYTES): void {
  port.send(request(id, 'PUT', '/file/a', { body_b64: '' }));
  const count = Math.max(Math.ceil(bytes.length / step), 1);
  for (let seq = 0; seq < count; seq += 1) {
    port.send(chunk(id, seq, bytes.subarray(seq * step, (seq + 1) * step), seq === count - 1));
  }
}

test('receives an upload in chunks, an empty one, one inline, and several at once', async () => {
  const { port } = await connect();
  upload(port, 1, BYTES);
  assert.deepEqual(await port.line(), { id: 1, type: 'response', status: 200, body: sent(BYTES) });
  upload(port, 2, Buffer.alloc(0));
  assert.deepEqual(await port.line(), { id: 2, type: 'response', status: 200, body: sent(Buffer.alloc(0)) });
  port.send(request(3, 'PUT', '/file/a', { body_b64: BYTES.toString('base64') }));
  assert.deepEqual(await port.line(), {
    id: 3,
    type: 'response',
    status: 200,
    body: sent(BYTES, BYTES.length),
  });
  for (let id = 0; id < MAX_UPLOADS; id += 1) port.send(request(id, 'PUT', '/file/a', { body_b64: '' }));
  for (let seq = 0; seq < 3; seq += 1) {
    for (let id = 0; id < MAX_UPLOADS; id += 1) {
      port.send(chunk(id, seq, BYTES.subarray(seq * 1000, (seq + 1) * 1000), seq === 2));
    }
  }
  for (let count = 0; count < MAX_UPLOADS; count += 1) {
    assert.deepEqual((await port.line()).body, sent(BYTES.subarray(0, 3000)));
  }
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
    assert.deepEqual(failure(await port.line()), expected);
    // Chunks that were already sent are not answered, and the id can be used again.
    if (!chunks.some((frame) => 'last' in frame && frame.last === true)) {
      port.send(chunk(1, 7, small, false));
      port.send(chunk(1, 8, small, true));
    }
    upload(port, 1, BYTES);
    assert.deepEqual((await port.line()).body, sent(BYTES));
  });
}

test('fails an upload that stops, and one whose id is reused by another request', async () => {
  const { port } = await connect({ uploadIdleMs: 40 });
  port.send(request(1, 'PUT', '/file/a', { body_b64: '' }));
  port.send(chunk(1, 0, small, false));
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bad_request' });
  port.send(request(1, 'PUT', '/file/a', { body_b64: '' }));
  port.send(request(1, 'POST', '/echo', { body: { value: 1 } }));
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bad_request' });
  assert.equal((await port.line()).status, 200);
});

test('refuses chunks without an upload, too many uploads, and uploads to endpoints without one', async () => {
  const { port } = await connect();
  port.send(chunk('stray', 0, small, false));
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bad_request' });
  port.send(chunk('stray', 1, small, true));
  for (let id = 0; id <= MAX_UPLOADS; id += 1) port.send(request(id, 'PUT', '/file/a', { body_b64: '' }));
  const refused = await port.line();
  assert.equal(refused.id, MAX_UPLOADS);
  assert.deepEqual(failure(refused), { status: 429, code: 'too_many_requests' });
  port.send(chunk(MAX_UPLOADS, 0, small, true));
  port.send(request('json', 'POST', '/echo', { body_b64: '' }));
  port.send(chunk('json', 0, small, true));
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bad_request' });
  port.send(request('none', 'PUT', '/nothing', { body_b64: '' }));
  port.send(chunk('none', 0, small, true));
  assert.deepEqual(failure(await port.line()), { status: 404, code: 'not_found' });
});

test('an endpoint that does not read its upload still answers', async () => {
  const { port } = await connect();
  port.send(request(1, 'PUT', '/unread', { body_b64: '' }));
  for (let seq = 0; seq < 64; seq += 1) port.send(chunk(1, seq, Buffer.alloc(MAX_CHUNK_BYTES), seq === 63));
  assert.deepEqual(failure(await port.line()), { status: 409, code: 'conflict' });
});

test('a disabled endpoint refuses its upload before it has arrived', async () => {
  const { port } = await connect();
  port.send(request(1, 'PUT', '/unwired', { body_b64: '' }));
  assert.deepEqual(failure(await port.line()), { status: 501, code: 'not_implemented' });
  port.send(chunk(1, 0, small, true));
  upload(port, 2, BYTES);
  assert.deepEqual((await port.line()).body, sent(BYTES));
});

test('ignores the chunks of a request that was refused by its frame', async () => {
  const { port } = await connect();
  port.send(request(1, 'HEAD', '/file/a', { body_b64: '' }));
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bad_request' });
  port.send(chunk(1, 0, small, false));
  port.send(chunk(1, 1, small, true));
  upload(port, 2, BYTES);
  assert.equal((await port.line()).id, 2);
});

test('an upload fails when it receives nothing, not while its line is paused or when it is complete', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const rejected: string[] = [];
  let linePaused = false;
  const uploads = new Uploads({
    idleMs: 1000,
    reject: (id) => rejected.push(id),
    pauseLine: () => undefined,
    isLinePaused: () => linePaused,
  });
  for (const id of ['complete', 'idle']) uploads.begin(id, undefined);
  uploads.chunk('complete', chunk('complete', 0, small, true));
  t.mock.timers.tick(900);
  uploads.chunk('idle', chunk('idle', 0, small, false));
  t.mock.timers.tick(900);
  linePaused = true;
  t.mock.timers.tick(5000);
  assert.deepEqual(rejected, []);
  linePaused = false;
  t.mock.timers.tick(1000);
  assert.deepEqual(rejected, ['idle']);
  t.mock.timers.tick(5000);
  assert.deepEqual(rejected, ['idle']);
});

test('a body that breaks off does not end the process, read or not', async () => {
  const uploads = new Uploads({
    reject: () => undefined,
    pauseLine: () => undefined,
    isLinePaused: () => false,
  });
  const body = uploads.begin('1', undefined)?.body ?? assert.fail();
  uploads.close();
  while (!body.closed) await new Promise(setImmediate);
  assert.ok(body.errored);
});

/** Uploads of which nobody reads the bodies. */
function unread(): { uploads: Uploads; isPaused: () => boolean; fill(id: string): void } {
  let paused = false;
  const options: UploadsOptions = {
    reject: (id) => assert.fail(`${id} was rejected`),
    pauseLine: (pause) => {
      paused = pause;
    },
    isLinePaused: () => paused,
  };
  const uploads = new Uploads(options);
  const fill = (id: string) => {
    for (let seq = 0; seq < MAX_QUEUED_CHUNKS; seq += 1) {
      assert.equal(paused, false);
      uploads.chunk(id, chunk(id, seq, small, false));
    }
    assert.equal(paused, true);
    // It stays paused for chunks that were already on their way.
    uploads.chunk(id, chunk(id, MAX_QUEUED_CHUNKS, Buffer.alloc(0), false));
    assert.equal(paused, true);
  };
  return { uploads, isPaused: () => paused, fill };
}

const END = MAX_QUEUED_CHUNKS + 1;

test('the line is paused while an upload holds too many chunks, however small, until they are read', async () => {
  const { uploads, isPaused, fill } = unread();
  const body = uploads.begin('1', undefined)?.body ?? assert.fail();
  fill('1');
  assert.deepEqual(body.read(), small);
  await new Promise(setImmediate);
  assert.equal(isPaused(), false);
  uploads.chunk('1', chunk('1', END, small, false));
  assert.equal(isPaused(), true);
  uploads.chunk('1', chunk('1', END + 1, small, true));
  assert.equal(isPaused(), false, 'nothing more is coming');
  assert.equal((await body.toArray()).length, MAX_QUEUED_CHUNKS + 1);
});

test('an upload that ends without being read does not keep the line paused', () => {
  const { uploads, isPaused, fill } = unread();
  const [first, second] = ['1', '2'].map((id) => uploads.begin(id, undefined) ?? assert.fail());
  assert.ok(first && second);
  fill('1');
  assert.equal(uploads.answered(first), true);
  assert.equal(isPaused(), false);
  fill('2');
  uploads.close();
  assert.equal(isPaused(), false);
  assert.equal(uploads.answered(second), false);
});
