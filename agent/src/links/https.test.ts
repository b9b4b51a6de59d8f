import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import * as Type from 'typebox';
import { WebSocket } from 'ws';
import { certificate, ecKey, ed25519Key, rsaKey } from '../../../testing/make-certificates.ts';
import { createLogger } from '../base/logger.ts';
import { topic } from '../contract/topics.ts';
import { EventBus } from '../events/bus.ts';
import { createGuard } from './guard.ts';
import { HttpsLink } from './https.ts';
import { EventSocket } from './socket.ts';
import { testApp } from './tests/test-app.ts';

const state = topic('display_state', Type.Unknown(), 'test');
const log = createLogger('silent');
const first = certificate({ name: 'first' });
const second = certificate({ name: 'second' });

async function start(t: TestContext) {
  const { app, release, waiting } = testApp();
  const bus = new EventBus([state]);
  const events = new EventSocket({
    bus,
    log,
    guard: createGuard(() => ['vitrine']),
    sendToPage: async () => undefined,
  });
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const link = new HttpsLink({ addresses, log });
  link.serve(app, events.upgrade);
  t.after(async () => {
    await Promise.all([events.close(), link.close()]);
    await app.close();
  });
  const port = () => Number(new URL(link.addresses[0] ?? '').port);
  return { app, bus, events, link, port, release, waiting };
}

async function handshake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

async function nameServed(port: number, host = '127.0.0.1'): Promise<unknown> {
  const socket = await handshake(port, { host });
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return name;
}

/** Resolves when a connection is closed, normally or by a reset: which of them occurs depends on the kernel. */
function ended(connection: Socket | WebSocket): Promise<void> {
  connection.on('error', () => undefined);
  return new Promise((resolve) => connection.once('close', () => resolve()));
}

/** The status of a GET over a new connection whose certificate is checked against `ca`. */
async function get(port: number, path: string, ca: string): Promise<number | undefined> {
  const call = request({ host: '127.0.0.1', port, path, ca, agent: false });
  call.end();
  const [response] = await once(call, 'response');
  response.resume();
  return response.statusCode;
}

/** A GET on an existing connection, which is kept alive. */
async function getOn(socket: Socket): Promise<string> {
  socket.write('GET /api/v1/file HTTP/1.1\r\nHost: localhost\r\n\r\n');
  let head = '';
  while (!head.includes('\r\n\r\n')) head += String((await once(socket, 'data'))[0]);
  return head.slice(0, head.indexOf('\r\n'));
}

test('does not listen without a certificate, and does with one of any kind', async (t) => {
  const { link, port } = await start(t);
  assert.deepEqual(link.addresses, []);
  for (const key of [ecKey(), rsaKey(), ed25519Key()]) {
    const identity = certificate({ name: 'device', key });
    await link.apply(identity);
    assert.match(link.addresses[0] ?? '', /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(await get(port(), '/api/v1/file', identity.cert), 200);
    assert.equal(await get(port(), '/api/v1/nothing', identity.cert), 404);
    await link.apply(undefined);
    assert.deepEqual(link.addresses, []);
  }
});

test('plain HTTP is told that the port speaks HTTPS, and a client that says nothing is let go', async (t) => {
  const { link, port } = await start(t);
  await link.apply(first);
  const answer = await fetch(`http://127.0.0.1:${port()}/api/v1/device`);
  assert.deepEqual([answer.status, answer.headers.get('connection')], [400, 'close']);
  assert.match(await answer.text(), /speaks HTTPS\. Use https:\/\//);
  const silent = connectTcp(port(), '127.0.0.1');
  await once(silent, 'connect');
  silent.end();
  await ended(silent);
  assert.equal(await get(port(), '/api/v1/file', first.cert), 200);
});

test('a renewed certificate is used at once, and existing connections continue', async (t) => {
  const { link, port } = await start(t);
  await link.apply(first);
  const before = port();
  const old = await handshake(before);
  assert.equal(await getOn(old), 'HTTP/1.1 200 OK');
  await link.apply(second);
  assert.equal(port(), before);
  assert.equal(await nameServed(before), 'second');
  assert.equal(await getOn(old), 'HTTP/1.1 200 OK');
  assert.equal(old.getPeerCertificate().subject.CN, 'first');
  old.destroy();
});

test('accepts nothing older than TLS 1.2 and no weak cipher, and selects HTTP/1.1 by ALPN', async (t) => {
  const { link, port } = await start(t);
  await link.apply(first);
  const weak = 'DEFAULT@SECLEVEL=0';
  for (const options of [
    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: weak },
    { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' },
    { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-SHA384' },
    { ALPNProtocols: ['h2'] },
  ] satisfies ConnectionOptions[]) {
    await assert.rejects(handshake(port(), options), /alert/i, JSON.stringify(options));
  }
  const modern = await handshake(port(), { ALPNProtocols: ['h2', 'http/1.1'] });
  assert.deepEqual([modern.getProtocol(), modern.alpnProtocol], ['TLSv1.3', 'http/1.1']);
  modern.destroy();
  const older = await handshake(port(), { maxVersion: 'TLSv1.2' });
  assert.equal(older.getProtocol(), 'TLSv1.2');
  older.destroy();
});

test('serves events over wss, with the same guard', async (t) => {
  const { bus, link } = await start(t);
  await link.apply(first);
  const url = `${link.addresses[0]?.replace('https', 'wss')}/api/v1/events`;
  const client = new WebSocket(url, { ca: first.cert, origin: link.addresses[0] ?? '' });
  await once(client, 'open');
  client.send(JSON.stringify({ type: 'subscribe', topics: ['display_state'] }));
  await once(client, 'message');
  bus.emit(state, { mode: 'waiting' });
  const [event] = await once(client, 'message');
  assert.match(String(event), /"payload":\{"mode":"waiting"\}/);

  const foreign = new WebSocket(url, { ca: first.cert, origin: 'https://evil.example' });
  foreign.on('error', () => undefined);
  const [, answer] = await once(foreign, 'unexpected-response');
  assert.equal(answer.statusCode, 403);
  answer.resume();
});

test('removing the certificate closes every connection, idle or busy', async (t) => {
  const { link, port, release, waiting } = await start(t);
  await link.apply(first);
  const at = port();
  const idle = await handshake(at);
  const socket = new WebSocket(`wss://127.0.0.1:${at}/api/v1/events`, { ca: first.cert });
  await once(socket, 'open');
  const silent = connectTcp(at, '127.0.0.1'); // never shakes hands
  await once(silent, 'connect');
  const underWay = get(at, '/api/v1/slow', first.cert);
  while (waiting() === 0) await new Promise(setImmediate);
  const ends = [idle, silent, socket].map(ended);
  // Does not wait for requests in progress: the one that removes the certificate is one of them.
  await link.apply(undefined);
  await assert.rejects(handshake(at), { code: 'ECONNREFUSED' });
  release();
  assert.equal(await underWay, 200);
  await Promise.all(ends);
  await link.close();
});

test('listens again on the same port while an old connection is still closing', async (t) => {
  const { app } = testApp();
  // A loopback address on which no other program opens ports meanwhile.
  const host = '127.0.0.2';
  const probe = new HttpsLink({ addresses: [{ host, port: 0 }], log });
  probe.serve(app);
  await probe.apply(first);
  const port = Number(new URL(probe.addresses[0] ?? '').port);
  await probe.close();
  const link = new HttpsLink({ addresses: [{ host, port }], log });
  link.serve(app);
  t.after(async () => {
    await link.close();
    await app.close();
  });
  await link.apply(first);
  const lingering = await handshake(port, { host });
  lingering.on('error', () => undefined);
  await link.apply(undefined);
  await link.apply(second);
  assert.equal(await nameServed(port, host), 'second');
});

test('a port that is not available is an error, and no port stays open', async (t) => {
  const { app, link, port } = await start(t);
  await link.apply(first);
  const free = { host: '127.0.0.1', port: 0 };
  const other = new HttpsLink({ addresses: [free, { host: '127.0.0.1', port: port() }], log });
  other.serve(app);
  await assert.rejects(other.apply(first), { code: 'unavailable', message: /EADDRINUSE/ });
  assert.deepEqual(other.addresses, []);
});

test('a certificate that TLS rejects is refused without quoting it, and the previous one stays in use', async (t) => {
  const { link, port } = await start(t);
  await link.apply(first);
  for (const key of [first.key, 'nonsense']) {
    await assert.rejects(link.apply({ cert: second.cert, key }), { code: 'bad_request' });
  }
  assert.equal(await nameServed(port()), 'first');
});

test('survives plain HTTP and aborted handshakes', async (t) => {
  const { link, port } = await start(t);
  await link.apply(first);
  const plain = connectTcp(port(), '127.0.0.1');
  plain.resume().write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await ended(plain);
  const broken = connectTcp(port(), '127.0.0.1');
  await once(broken, 'connect');
  broken.destroy();
  assert.equal(await get(port(), '/api/v1/file', first.cert), 200);
});

test('one peer cannot take all connections, and its idle ones are closed for new ones', async (t) => {
  const { link, port } = await start(t);
  await link.apply(first);
  const of = (localAddress: string) =>
    handshake(port(), { socket: connectTcp({ host: '127.0.0.1', port: port(), localAddress }) });
  const idle = await Promise.all(Array.from({ length: 140 }, () => of('127.0.0.2')));
  for (const socket of idle) socket.on('error', () => undefined);
  for (const address of ['127.0.0.2', '127.0.0.3']) {
    const socket = await of(address);
    assert.equal(await getOn(socket), 'HTTP/1.1 200 OK');
    socket.destroy();
  }
});
