import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { waitFor } from '../../../testing/wait.ts';
import { peerOf } from './connections.ts';
import { listen } from './http.ts';
import { testApp } from './tests/test-app.ts';

const GET = 'GET /api/v1/file HTTP/1.1\r\nHost: localhost\r\n';
const SLOW = 'GET /api/v1/slow HTTP/1.1\r\nHost: localhost\r\n\r\n';
const WAIT = { timeoutMs: 30_000, intervalMs: 5 };

/** A client's connection. */
interface Client {
  socket: Socket;
  text: string;
  closed: boolean;
}

async function serve(t: TestContext) {
  const { app, release, waiting } = testApp();
  const link = await listen(app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(async () => {
    await link.close();
    await app.close();
  });
  const port = Number(new URL(link.addresses[0] ?? '').port);
  /** Connects from an address of the loopback network. */
  const from = async (localAddress: string): Promise<Client> => {
    const client: Client = {
      socket: connect({ port, host: '127.0.0.1', localAddress }),
      text: '',
      closed: false,
    };
    client.socket.on('error', () => undefined);
    client.socket.on('close', () => {
      client.closed = true;
    });
    client.socket.on('data', (data) => {
      client.text += data;
    });
    await once(client.socket, 'connect');
    return client;
  };
  const many = (count: number, address: string) =>
    Promise.all(Array.from({ length: count }, () => from(address)));
  /** The status line of the first answer; empty when the connection was closed without one. */
  const status = async (client: Client): Promise<string> => {
    await waitFor(() => client.closed || client.text.includes('\r\n\r\n'), { ...WAIT, what: 'an answer' });
    return client.text.slice(0, client.text.indexOf('\r\n'));
  };
  const get = async (address: string): Promise<string> => {
    const client = await from(address);
    client.socket.write(`${GET}\r\n`);
    const answer = await status(client);
    client.socket.destroy();
    return answer;
  };
  return { from, many, status, get, release, waiting };
}

const OK = 'HTTP/1.1 200 OK';

test('a request refused as forbidden keeps no connection', async (t) => {
  const { many, status, get } = await serve(t);
  const begun = performance.now();
  const clients = await many(150, '127.0.0.1');
  // Half of them announce a body that never arrives.
  for (const [index, { socket }] of clients.entries()) {
    const body = index % 2 === 0 ? '' : 'Content-Type: application/json\r\nContent-Length: 9\r\n';
    const head = index % 2 === 0 ? GET : 'POST /api/v1/reboot HTTP/1.1\r\nHost: localhost\r\n';
    socket.write(`${head}Connection: keep-alive\r\nOrigin: https://evil.example\r\n${body}\r\n`);
  }
  assert.equal(await get('127.0.0.1'), OK);
  const answered = await Promise.all(clients.map(status));
  const refused = clients.filter((_, index) => answered[index] === 'HTTP/1.1 403 Forbidden');
  assert.ok(refused.length > 90, `${refused.length} were answered`);
  for (const { text } of refused) assert.match(text, /\r\nconnection: close\r\n/i);
  await waitFor(() => clients.every(({ closed }) => closed), { ...WAIT, what: 'the end of the connections' });
  // No timeout of idle connections was involved.
  assert.ok(performance.now() - begun < 10_000);
});

test('one peer cannot take all connections, and its idle ones are closed for new ones', async (t) => {
  const { many, get } = await serve(t);
  const silent = await many(150, '127.0.0.2');
  assert.equal(await get('127.0.0.3'), OK);
  assert.equal(await get('127.0.0.2'), OK);
  await waitFor(() => silent.filter(({ closed }) => closed).length >= 54, { ...WAIT, what: 'room' });
  // The oldest one was closed.
  assert.equal(silent[0]?.closed, true);
  assert.equal(silent.at(-1)?.closed, false);
});

test('when several peers take all connections, there is room for another peer', async (t) => {
  const { many, get } = await serve(t);
  await many(96, '127.0.0.2');
  await many(60, '127.0.0.3');
  assert.equal(await get('127.0.0.4'), OK);
});

test('a connection in use is not closed for a new one', async (t) => {
  const { many, from, status, get, release, waiting } = await serve(t);
  const busy = await many(96, '127.0.0.2');
  for (const { socket } of busy) socket.write(SLOW);
  await waitFor(() => waiting() === 96, { ...WAIT, what: 'the requests' });
  const more = await from('127.0.0.2');
  await waitFor(() => more.closed, { ...WAIT, what: 'the refusal' });
  assert.equal(await get('127.0.0.3'), OK);
  release();
  assert.deepEqual(new Set(await Promise.all(busy.map(status))), new Set([OK]));
  // All are idle now, so one is closed for a new one.
  assert.equal(await get('127.0.0.2'), OK);
});

test('a peer is an IPv4 address, an IPv6 network or the device itself', () => {
  const peer = (remoteAddress: string, localAddress = '::') =>
    peerOf(Object.assign(Object.create(null), { remoteAddress, localAddress }));
  assert.equal(peer('::ffff:10.0.2.2'), '10.0.2.2');
  assert.equal(peer('10.0.2.2'), '10.0.2.2');
  assert.equal(peer('2001:db8:1:2:3:4:5:6'), peer('2001:db8:1:2::1'));
  assert.notEqual(peer('2001:db8:1:2::1'), peer('2001:db8:1:3::1'));
  assert.equal(peer('fe80::1%usb0'), peer('fe80::2%usb0'));
  assert.notEqual(peer('fe80::1%usb0'), peer('fe80::1%wlan0'));
  assert.notEqual(peer('::2'), peer('1::2'));
  for (const own of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) assert.equal(peer(own), 'this device');
  assert.equal(peer('10.55.77.1', '10.55.77.1'), 'this device');
  assert.equal(peer('fe80::1%usb0', 'fe80::1%usb0'), 'this device');
});
