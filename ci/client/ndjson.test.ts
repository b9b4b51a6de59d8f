import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { waitFor } from '../../testing/wait.ts';
import { SerialClient } from './ndjson.ts';

/** A client and the device's end of its connection. */
async function link(t: TestContext): Promise<{ client: SerialClient; device: Socket; said: () => string }> {
  const folder = await mkdtemp(join(tmpdir(), 'ndjson-'));
  const path = join(folder, 'wire');
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const server = createServer(resolve).listen(path);
  const client = await SerialClient.connect(path);
  const device = await promise;
  let said = '';
  device.on('data', (chunk) => {
    said += chunk.toString();
  });
  t.after(async () => {
    client.close();
    device.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  return { client, device, said: () => said };
}

test('pipelined requests get their own responses, in any order', async (t) => {
  const { client, device, said } = await link(t);
  const first = client.send('GET', '/api/v1/device');
  const second = client.send('PATCH', '/api/v1/config', { ui: {} });
  await waitFor(() => said().split('\n').length === 3, { timeoutMs: 5000, what: 'two lines' });
  assert.deepEqual(JSON.parse(said().split('\n')[1] ?? ''), {
    id: second,
    type: 'request',
    method: 'PATCH',
    path: '/api/v1/config',
    body: { ui: {} },
  });
  device.write(`{"id":${second},"type":"response","status":400,"body":{"a":1}}\n{"id":${first},"ty`);
  device.write('pe":"response","status":200,"body_b64":"AA=="}\n');
  assert.deepEqual(await client.response(first), { status: 200, body_b64: 'AA==' });
  assert.deepEqual(await client.response(second), { status: 400, body: { a: 1 } });
});

test('an upload is sent in chunks of the permitted size and gets one response', async (t) => {
  const { client, device, said } = await link(t);
  const body = Buffer.from(Array.from({ length: 40_000 }, (_, i) => i % 251));
  const answer = client.upload('PUT', '/api/v1/content/menu', body);
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
  assert.deepEqual(await answer, { status: 202, body: {} });
});

test('events, other frames and a shell’s text are separated', async (t) => {
  const { client, device } = await link(t);
  const mark = client.events.mark;
  device.write('{"type":"hello","serial":"S"}\n# no json\n');
  device.write('{"type":"event","topic":"log","ts":"2026-01-02T03:04:05.678Z","payload":{"message":"m"}}\n');
  device.write('{"type":"error","error":{"code":"bad_frame"}}\nroot# ');
  assert.deepEqual(await client.frame('hello'), { type: 'hello', serial: 'S' });
  assert.deepEqual((await client.events.next('log', mark)).payload, { message: 'm' });
  assert.deepEqual(await client.frame('error', 1), { type: 'error', error: { code: 'bad_frame' } });
  await client.expectText(/root# $/);
});

test('the timeout error names the missing response or event', async (t) => {
  const { client } = await link(t);
  await assert.rejects(client.response(7, 30), /response 7 on serial/);
  await assert.rejects(
    client.events.next('log', 0, () => true, 30),
    /a log event; received of that topic: nothing/,
  );
});
