import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { waitFor } from '../testing/wait.ts';
import { openSerial, type SerialChannel } from './serial.ts';

/** A host, and the device's end of its connection. */
async function link(t: TestContext): Promise<{ host: SerialChannel; device: Socket; said: () => string }> {
  const folder = await mkdtemp(join(tmpdir(), 'ndjson-'));
  const path = join(folder, 'wire');
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const server = createServer(resolve).listen(path);
  const host = await openSerial(path);
  const device = await promise;
  let said = '';
  device.on('data', (chunk) => {
    said += chunk.toString();
  });
  t.after(async () => {
    await host.close();
    device.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  return { host, device, said: () => said };
}

test('pipelined requests get their own responses, in any order', async (t) => {
  const { host, device, said } = await link(t);
  const first = host.request('GET', '/device');
  const second = host.request('PATCH', '/config', { json: { ui: {} } });
  await waitFor(() => said().split('\n').length === 3, { timeoutMs: 5000, what: 'two lines' });
  const [{ id }, request] = said()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(request, {
    id: id + 1,
    type: 'request',
    method: 'PATCH',
    path: '/api/v1/config',
    body: { ui: {} },
  });
  device.write(`{"id":${id + 1},"type":"response","status":400,"body":{"a":1}}\n{"id":${id},"ty`);
  device.write('pe":"response","status":200,"body_b64":"AA=="}\n');
  assert.deepEqual(await first, { status: 200, body: undefined, bytes: Buffer.of(0) });
  assert.deepEqual(await second, { status: 400, body: { a: 1 }, bytes: Buffer.alloc(0) });
});

test('an upload is sent in chunks of the permitted size and gets one response', async (t) => {
  const { host, device, said } = await link(t);
  const body = Buffer.from(Array.from({ length: 40_000 }, (_, i) => i % 251));
  const answer = host.request('PUT', '/content/menu', { raw: body });
  await waitFor(() => said().split('\n').length === 5, { timeoutMs: 5000, what: 'four lines' });
  const [request, ...chunks] = said()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(request.body_b64, '');
  assert.deepEqual(
    chunks.map(({ id, seq, last }) => [id === request.id, seq, last]),
    [
      [true, 0, false],
      [true, 1, false],
      [true, 2, true],
    ],
  );
  assert.deepEqual(Buffer.concat(chunks.map(({ data_b64 }) => Buffer.from(data_b64, 'base64'))), body);
  device.write(`{"id":${request.id},"type":"response","status":202,"body":{}}\n`);
  assert.equal((await answer).status, 202);
});

test('events, other frames and a shell’s text are separated', async (t) => {
  const { host, device } = await link(t);
  const { mark } = host.events;
  device.write('{"type":"hello","serial":"S"}\n# no json\n');
  device.write('{"type":"event","topic":"log","ts":"2026-01-02T03:04:05.678Z","payload":{"message":"m"}}\n');
  device.write('{"type":"error","error":{"code":"bad_frame"}}\nroot# ');
  assert.deepEqual(await host.frame('hello'), { type: 'hello', serial: 'S' });
  assert.deepEqual((await host.events.next('log', mark)).payload, { message: 'm' });
  assert.deepEqual(await host.frame('error', 1), { type: 'error', error: { code: 'bad_frame' } });
  await waitFor(() => /root# $/.test(host.text), { timeoutMs: 5000, what: 'the text' });
});

test('a request fails at its time limit, by its signal, and when the link is closed', async (t) => {
  const { host, device } = await link(t);
  await assert.rejects(
    host.request('GET', '/device', { timeoutMs: 30 }),
    /waited 0.03 s for the response 1 on serial/,
  );
  const stop = new AbortController();
  const stopped = host.request('GET', '/device', { signal: stop.signal });
  stop.abort(new Error('not needed'));
  await assert.rejects(stopped, /not needed/);
  const pending = host.request('GET', '/device');
  device.destroy();
  await assert.rejects(pending, /the serial link was closed/);
  await assert.rejects(host.request('GET', '/device'), /the serial link was closed/);
});
