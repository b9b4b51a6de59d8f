import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { forwardPort } from './slirp.ts';

/** A server on a unix socket that answers as slirp4netns does: one request for each connection. */
async function server(t: TestContext, answer: string): Promise<{ socket: string; requests: unknown[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'slirp-'));
  const socket = join(folder, 's');
  const requests: unknown[] = [];
  const listener = createServer((peer) => {
    peer.once('data', (chunk) => {
      requests.push(JSON.parse(chunk.toString()));
      peer.end(answer);
    });
  }).listen(socket);
  await once(listener, 'listening');
  t.after(async () => {
    listener.close();
    await rm(folder, { recursive: true });
  });
  return { socket, requests };
}

test('a port of the loopback is forwarded to the device', async (t) => {
  const { socket, requests } = await server(t, '{"return":{"id":1}}');
  await forwardPort(socket, 8080, 80);
  const forward = { proto: 'tcp', host_addr: '127.0.0.1', host_port: 8080 };
  assert.deepEqual(requests, [
    { execute: 'add_hostfwd', arguments: { ...forward, guest_addr: '10.0.2.15', guest_port: 80 } },
  ]);
});

test('a refusal has slirp4netns’s reason', async (t) => {
  const { socket } = await server(
    t,
    '{"error":{"desc":"bad request: add_hostfwd: slirp_add_hostfwd failed"}}',
  );
  await assert.rejects(forwardPort(socket, 80, 80), /^Error: slirp4netns: .*slirp_add_hostfwd failed/);
});
