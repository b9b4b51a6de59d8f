/** Uploads of bundles over the serial link. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { waitFor } from '../../../../testing/wait.ts';
import { ApiError } from '../../contract/errors.ts';
import type { MemoryPort } from '../../links/serial/tests/memory-port.ts';
import { connect, failure, request } from '../../links/serial/tests/test-link.ts';
import { MAX_CHUNK_BYTES } from '../../links/serial/upload-machine.ts';
import { endpoints } from '../contract.ts';
import type { ContentStoreOptions } from './store.ts';
import { bundle, sha256, type TestContent, testContent } from './tests/content.ts';

const SOON = { timeoutMs: 60_000, intervalMs: 5 };

async function connected(
  t: { after(clean: () => Promise<void>): void },
  change: Partial<ContentStoreOptions> = {},
  uploadIdleMs?: number,
) {
  const cleaning: (() => Promise<void>)[] = [];
  const content = await testContent({ after: (clean) => cleaning.push(clean) }, change);
  const { app, bus, events } = content;
  const idle = uploadIdleMs === undefined ? {} : { uploadIdleMs };
  const { link, port } = await connect({ app, endpoints, bus, ...idle });
  t.after(async () => {
    await link.close();
    // An interrupted upload uses the folder until it has ended.
    await Promise.all(events.map(({ operation_id }) => content.ended(operation_id)));
    for (const clean of cleaning) await clean();
  });
  return { content, port };
}

function open(port: MemoryPort, id: number, name: string): void {
  port.send(request(id, 'PUT', `/content/${name}`, { body_b64: '' }));
}

function chunk(port: MemoryPort, id: number, seq: number, bytes: Buffer, last = false): void {
  port.send({ id, type: 'request_chunk', seq, last, data_b64: bytes.toString('base64') });
}

function send(port: MemoryPort, id: number, name: string, bytes: Buffer): void {
  open(port, id, name);
  const count = Math.ceil(bytes.length / MAX_CHUNK_BYTES);
  for (let seq = 0; seq < count; seq += 1) {
    const part = bytes.subarray(seq * MAX_CHUNK_BYTES, (seq + 1) * MAX_CHUNK_BYTES);
    chunk(port, id, seq, part, seq === count - 1);
  }
}

async function endOf(content: TestContent, line: object): Promise<string> {
  const { body } = JSON.parse(JSON.stringify(line));
  return (await content.ended(body.operation_id)).state;
}

test('receives a bundle in chunks, and inline', { timeout: 120_000 }, async (t) => {
  const { content, port } = await connected(t);
  const large = await bundle('large', 700_000);
  send(port, 1, 'large', large);
  const answer = await port.line();
  assert.equal(answer.status, 202, JSON.stringify(answer));
  assert.equal(await endOf(content, answer), 'done');
  assert.equal(content.store.locate('large')?.sha256, sha256(large));
  const progress = content.events.map((event) => event.progress);
  assert.ok(
    progress.some((fraction) => fraction > 0.1 && fraction < 0.7),
    progress.join(' '),
  );

  const small = await bundle('small');
  port.send(request(2, 'PUT', '/content/small', { body_b64: small.toString('base64') }));
  const inline = await port.line();
  assert.equal(inline.status, 202);
  assert.equal(await endOf(content, inline), 'done');
  assert.equal(content.store.locate('small')?.sha256, sha256(small));
});

test('refuses a file that is not a zip at its first chunk and ignores the rest', {
  timeout: 120_000,
}, async (t) => {
  const { content, port } = await connected(t);
  open(port, 1, 'menu');
  chunk(port, 1, 0, Buffer.alloc(1000));
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bundle_invalid' });
  chunk(port, 1, 1, Buffer.alloc(1000));
  chunk(port, 1, 2, Buffer.alloc(1000), true);
  assert.deepEqual(await content.files(), []);
  // There is no second answer, and the id is free again.
  const bytes = await bundle('menu');
  send(port, 1, 'menu', bytes);
  assert.equal((await port.line()).status, 202);
});

test('takes an upload of the same name at once after one that failed', { timeout: 120_000 }, async (t) => {
  const { content, port } = await connected(t);
  const bytes = await bundle('menu', 40_000);
  const breaks: ((id: number) => void)[] = [
    // A gap.
    (id) => chunk(port, id, 5, bytes.subarray(0, 10)),
    // Another request takes the id.
    (id) => port.send(request(id, 'GET', '/content')),
  ];
  for (const [round, breakOff] of [...breaks, ...breaks].entries()) {
    const id = round * 2;
    open(port, id, 'menu');
    chunk(port, id, 0, bytes.subarray(0, MAX_CHUNK_BYTES));
    // Until the app has begun to receive it.
    if (round < breaks.length) {
      await waitFor(() => content.events.at(-1)?.state === 'running', { ...SOON, what: 'the operation' });
    }
    breakOff(id);
    send(port, id + 1, 'menu', bytes);
    const lines = [await port.line()];
    while (lines.at(-1)?.id !== id + 1) lines.push(await port.line());
    assert.deepEqual(failure(lines[0] ?? {}), { status: 400, code: 'bad_request' });
    const answer = lines.at(-1) ?? {};
    assert.equal(answer.status, 202, JSON.stringify(answer));
    assert.equal(await endOf(content, answer), 'done');
  }
});

test('refuses a bad request before its first chunk', { timeout: 120_000 }, async (t) => {
  const { content, port } = await connected(t);
  open(port, 0, 'No.Name');
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bad_request' });
  open(port, 1, 'menu');
  await waitFor(() => content.events.length === 1, { ...SOON, what: 'the operation to start with the head' });
  open(port, 2, 'menu');
  assert.deepEqual(failure(await port.line()), { status: 409, code: 'conflict' });
  const bodies = Array.from({ length: 3 }, () => new Readable({ read: () => undefined }));
  const others = bodies.map((body, index) => content.put(`other-${index}`, body));
  await waitFor(() => content.events.length === 4, { ...SOON, what: 'three more' });
  open(port, 3, 'd');
  assert.deepEqual(failure(await port.line()), { status: 429, code: 'too_many_requests' });
  port.leave();
  await waitFor(() => content.events.at(-1)?.state === 'failed', {
    ...SOON,
    what: 'the end of the operation',
  });
  assert.equal(content.events.at(-1)?.error?.error.code, 'bad_request');
  for (const body of bodies) body.destroy(new Error('gone'));
  await Promise.allSettled(others);
});

test('answers a full disk before the body ends', { timeout: 120_000 }, async (t) => {
  const reserve = () => Promise.reject(new ApiError('insufficient_storage'));
  const free = async () => ({ free_bytes: 0, total_bytes: 1 });
  const { port } = await connected(t, { disk: { reserve, free } });
  const bytes = await bundle('large', 2_000_000);
  open(port, 1, 'menu');
  for (let seq = 0; seq < 40; seq += 1) {
    chunk(port, 1, seq, bytes.subarray(seq * MAX_CHUNK_BYTES, (seq + 1) * MAX_CHUNK_BYTES));
  }
  assert.deepEqual(failure(await port.line()), { status: 507, code: 'insufficient_storage' });
});

test('publishes progress while chunks arrive', { timeout: 120_000 }, async (t) => {
  const { content, port } = await connected(t);
  const bytes = await bundle('large', 700_000);
  open(port, 1, 'menu');
  for (let seq = 0; seq < 40; seq += 1) {
    chunk(port, 1, seq, bytes.subarray(seq * MAX_CHUNK_BYTES, (seq + 1) * MAX_CHUNK_BYTES));
  }
  await waitFor(() => (content.events.at(-1)?.progress ?? 0) > 0.1, { ...SOON, what: 'progress' });
  assert.equal(content.events.at(-1)?.state, 'running');
});

test('fails the operation when the host stops sending', { timeout: 120_000 }, async (t) => {
  const { content, port } = await connected(t, {}, 40);
  open(port, 1, 'menu');
  chunk(port, 1, 0, (await bundle('menu')).subarray(0, 50));
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bad_request' });
  await waitFor(() => content.events.at(-1)?.state === 'failed', {
    ...SOON,
    what: 'the end of the operation',
  });
  await waitFor(async () => (await content.files()).length === 0, { ...SOON, what: 'the file to go' });
});

test('pauses a host that is quicker than the disk', { timeout: 120_000 }, async (t) => {
  const { promise: room, resolve } = Promise.withResolvers<void>();
  const free = async () => ({ free_bytes: 0, total_bytes: 1 });
  const { content, port } = await connected(t, { disk: { reserve: () => room, free } });
  const bytes = await bundle('large', 6_000_000);
  const count = Math.ceil(bytes.length / MAX_CHUNK_BYTES);
  let seq = 0;
  const next = () => {
    const part = bytes.subarray(seq * MAX_CHUNK_BYTES, (seq + 1) * MAX_CHUNK_BYTES);
    chunk(port, 1, seq, part, seq === count - 1);
    seq += 1;
  };
  open(port, 1, 'menu');
  while (!port.paused && seq < count) {
    next();
    await new Promise(setImmediate);
  }
  // The handler's and the link's buffers.
  assert.ok(seq * MAX_CHUNK_BYTES < 4_000_000, `${seq} chunks were taken`);
  resolve();
  while (seq < count) {
    await waitFor(() => !port.paused, { ...SOON, what: 'the port to be read again' });
    next();
  }
  const answer = await port.line();
  assert.equal(answer.status, 202);
  assert.equal(await endOf(content, answer), 'done');
  assert.equal(content.store.locate('menu')?.sha256, sha256(bytes));
});
