import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { waitFor } from '../../../../ci/lib/wait.ts';
import type { SerialLinkOptions } from './link.ts';
import type { MemoryPort } from './memory-port.ts';
import { connect as connectLink, failure, request } from './test-link.ts';
import { MAX_CHUNK_BYTES, MAX_UPLOADS, sweepUploads } from './uploads.ts';

const folder = await mkdtemp(join(tmpdir(), 'vitrine-uploads-'));
after(() => rm(folder, { recursive: true, force: true }));
const connect = (options: Partial<SerialLinkOptions> = {}) =>
  connectLink({ uploadFolder: folder, ...options });

/** An upload that was refused may still be on its way to a file without a name when the next one has been answered. */
const empty = () =>
  waitFor(async () => (await readdir(folder)).length === 0, {
    timeoutMs: 60_000,
    intervalMs: 5,
    what: 'the folder to be empty',
  });

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
  await empty();
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
    // What was on its way is not answered again, and the id can be used anew.
    if (!chunks.some((frame) => 'last' in frame && frame.last === true)) {
      port.send(chunk(1, 7, small, false));
      port.send(chunk(1, 8, small, true));
    }
    upload(port, 1, BYTES);
    assert.deepEqual((await port.line()).body, sent(BYTES));
    await empty();
  });
}

test('gives up an upload that stops, and one whose id begins another request', async () => {
  const { port } = await connect({ uploadIdleMs: 40 });
  port.send(request(1, 'PUT', '/file/a', { body_b64: '' }));
  port.send(chunk(1, 0, small, false));
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bad_request' });
  port.send(request(1, 'PUT', '/file/a', { body_b64: '' }));
  port.send(request(1, 'POST', '/echo', { body: { value: 1 } }));
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bad_request' });
  assert.equal((await port.line()).status, 200);
});

test('refuses chunks of no upload, too many uploads, and uploads to what takes none', async () => {
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

test('an endpoint that does not read its upload answers all the same', async () => {
  const { port } = await connect();
  port.send(request(1, 'PUT', '/unread', { body_b64: '' }));
  for (let seq = 0; seq < 64; seq += 1) port.send(chunk(1, seq, Buffer.alloc(MAX_CHUNK_BYTES), seq === 63));
  assert.deepEqual(failure(await port.line()), { status: 409, code: 'conflict' });
});

test('an endpoint behind a closed gate refuses its upload before it has come', async () => {
  const { port } = await connect();
  port.send(request(1, 'PUT', '/unwired', { body_b64: '' }));
  assert.deepEqual(failure(await port.line()), { status: 501, code: 'not_implemented' });
  port.send(chunk(1, 0, small, true));
  upload(port, 2, BYTES);
  assert.deepEqual((await port.line()).body, sent(BYTES));
});

test('an upload for which there is no room is refused', async () => {
  // A file system of the kernel's own: it has no room at all.
  const { port } = await connect({ uploadFolder: '/sys' });
  upload(port, 1, small);
  assert.deepEqual(failure(await port.line()), { status: 507, code: 'insufficient_storage' });
});

test('makes a host that is quicker than the disk wait', async () => {
  const { port } = await connect();
  port.send(request(1, 'PUT', '/unread', { body_b64: '' }));
  for (let seq = 0; seq < 65; seq += 1) port.send(chunk(1, seq, Buffer.alloc(MAX_CHUNK_BYTES), false));
  assert.equal(port.paused, true);
  while (port.paused) await new Promise(setImmediate);
  port.send(chunk(1, 65, small, true));
  assert.deepEqual(failure(await port.line()), { status: 409, code: 'conflict' });
});

test('sweeps what a crash left', async () => {
  await empty();
  const left = 'upload-01234567-89ab-cdef-0123-456789abcdef';
  await writeFile(join(folder, left), 'left');
  await sweepUploads(folder);
  assert.deepEqual(await readdir(folder), []);
});

test('a folder that cannot be made and a leftover that cannot be removed are no errors', async () => {
  // No folder can be made below a file, and no file of that name removed where it is a folder.
  const file = join(folder, 'file');
  await writeFile(file, '');
  await sweepUploads(join(file, 'uploads'));
  await mkdir(join(folder, 'upload-123e4567-e89b-12d3-a456-426614174000', 'below'), { recursive: true });
  await sweepUploads(folder);
});
