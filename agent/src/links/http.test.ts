import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { type HttpLink, listen, webServer } from './http.ts';
import { testApp } from './tests/test-app.ts';

/** A connection that keeps the link open does so for 15 s at least. */
const KEPT_MS = 12_000;

test('answers on every address, in the envelope even where HTTP fails, and ends at once', {
  timeout: KEPT_MS,
}, async () => {
  const { app } = testApp();
  const link: HttpLink = await listen(app, [
    { host: '127.0.0.1', port: 0 },
    { host: '127.0.0.1', port: 0 },
  ]);
  for (const address of link.addresses) {
    const answer = await fetch(`${address}/api/v1/nothing`);
    assert.equal(answer.status, 404);
    assert.match(await answer.text(), /"not_found"/);
  }
  await link.close();
  await app.close();
});

test('a connection that the system cannot give ends nothing', async (t) => {
  const { app } = testApp();
  await app.ready();
  const link = webServer('http', createServer, app.routing, undefined);
  t.after(async () => {
    await link.close();
    await app.close();
  });
  const address = await link.bind({ host: '127.0.0.1', port: 0 });
  // As Node tells of a failed accept(2).
  link.server.emit('error', Object.assign(new Error('accept ENOBUFS'), { code: 'ENOBUFS' }));
  assert.equal((await fetch(`${address}/api/v1/nothing`)).status, 404);
});

test('an address that is taken is an error, and no other stays open', async () => {
  const { app } = testApp();
  const first = await listen(app, [{ host: '127.0.0.1', port: 0 }]);
  const port = Number(new URL(first.addresses[0] ?? '').port);
  const free = { host: '127.0.0.1', port: 0 };
  await assert.rejects(listen(app, [free, { host: '127.0.0.1', port }]), { code: 'EADDRINUSE' });
  await first.close();
  await app.close();
});

async function serve(t: { after(clean: () => Promise<void>): void }) {
  const { app, release, waiting } = testApp();
  const link = await listen(app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(async () => {
    await link.close();
    await app.close();
  });
  const [base = ''] = link.addresses;
  return { link, base, port: Number(new URL(base).port), release, waiting };
}

/** The end of a connection, be it by a reset: which of both the other side sees is up to the kernel. */
function ended(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Sends bytes as they are and gives everything that comes until the agent hangs up. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  await ended(socket);
  return text;
}

test('what is not HTTP gets the envelope and the end of the connection', async (t) => {
  const { port } = await serve(t);
  const host = 'Host: localhost\r\n';
  for (const bytes of [
    'nonsense\r\n\r\n',
    `GET / HTTP/9.9\r\n${host}\r\n`,
    `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`,
    `POST /api/v1/echo HTTP/1.1\r\n${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`,
  ]) {
    const answer = await raw(port, bytes);
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(answer, /\r\n\r\n\{"error":\{"code":"bad_request"/);
    assert.match(answer, /\r\nx-frame-options: DENY\r\n/);
  }
});

test('what Node would answer by itself gets the envelope, too', async (t) => {
  const { port } = await serve(t);
  const close = 'Connection: close\r\n';
  const noHost = await raw(port, `GET /api/v1/page HTTP/1.1\r\n${close}\r\n`);
  assert.match(noHost, /^HTTP\/1\.1 400 .*"code":"bad_request"/s);
  const proxy = await raw(port, 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n');
  assert.match(proxy, /^HTTP\/1\.1 404 .*"code":"not_found"/s);
  // A server may answer what it does not understand of an expectation as if it were not there.
  const odd = await raw(port, `GET /api/v1/page HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n${close}\r\n`);
  assert.match(odd, /^HTTP\/1\.1 200 /);
});

test('a JSON body that trickles in is cut, also where none is wanted', async (t) => {
  const { app } = testApp();
  t.after(() => app.close());
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const url of ['/api/v1/echo', '/api/v1/reboot']) {
    const started = Promise.withResolvers<void>();
    const answer = app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', 'content-length': '9' },
      payload: new Readable({ read: () => started.resolve() }),
    });
    await started.promise;
    t.mock.timers.tick(30_000);
    const { statusCode, payload } = await answer;
    assert.equal(statusCode, 400, payload);
    assert.match(payload, /"bad_request"/);
  }
});

test('a body that is refused unread does not keep the answer from the client', async (t) => {
  const { base } = await serve(t);
  const body = Buffer.alloc(8 * 1024 * 1024);
  const headers = { 'content-type': 'image/png' };
  for (const [path, status] of [
    ['/unread', 409],
    ['/unwired', 501],
    ['/file/a', 413],
    ['/nothing', 404],
  ] as const) {
    const answer = await fetch(`${base}/api/v1${path}`, { method: 'PUT', headers, body });
    assert.equal(answer.status, status, path);
    await answer.arrayBuffer();
  }
  const json = await fetch(`${base}/api/v1/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value: 'x'.repeat(1024 * 1024) }),
  });
  assert.equal(json.status, 413);
});

test('a large body that is refused ends its connection, a small one does not', {
  timeout: KEPT_MS,
}, async (t) => {
  const { port } = await serve(t);
  const head = (length: string) =>
    `PUT /api/v1/unread HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\n${length}\r\n\r\n`;
  const lengths = ['Content-Length: 300000000', 'Transfer-Encoding: chunked'];
  // The answer is there before the body is, and the client need not send it.
  for (const answer of await Promise.all(lengths.map((length) => raw(port, head(length))))) {
    assert.match(answer, /^HTTP\/1\.1 409 .*\r\nconnection: close\r\n.*"code":"conflict"/s);
  }
  const socket = connect(port, '127.0.0.1');
  const answers = [];
  for (let count = 0; count < 2; count += 1) {
    socket.write(`${head('Content-Length: 5')}bytes`);
    const [answer] = await once(socket, 'data');
    answers.push(String(answer).slice(0, 12), /connection: close/i.test(String(answer)));
  }
  assert.deepEqual(answers, ['HTTP/1.1 409', false, 'HTTP/1.1 409', false]);
  socket.destroy();
});

test('a request under way ends before the link does', async (t) => {
  const { link, base, release, waiting } = await serve(t);
  const answer = fetch(`${base}/api/v1/slow`);
  while (waiting() === 0) await new Promise(setImmediate);
  const closed = link.close();
  release();
  assert.equal((await answer).status, 200);
  await closed;
  await assert.rejects(fetch(`${base}/api/v1/slow`));
});

test('a request that does not end does not keep the link from closing', { timeout: KEPT_MS }, async (t) => {
  const { link, base, waiting } = await serve(t);
  const answer = fetch(`${base}/api/v1/slow`);
  answer.catch(() => undefined);
  while (waiting() === 0) await new Promise(setImmediate);
  await link.close();
  await assert.rejects(answer);
});

test('an idle connection is closed, but not while its request is being worked on', async (t) => {
  const { app, release, waiting } = testApp();
  await app.ready();
  const link = webServer('http', createServer, app.routing, undefined);
  t.after(async () => {
    await link.close();
    await app.close();
  });
  // From the request on: a computer that stops for so long before it comes would have the connection closed.
  let idle = 0;
  link.server.on('request', ({ socket }) => {
    socket.setTimeout(20);
    socket.on('timeout', () => (idle += 1));
  });
  const base = await link.bind({ host: '127.0.0.1', port: 0 });

  const answer = fetch(`${base}/api/v1/slow`);
  while (waiting() === 0 || idle < 3) await new Promise(setImmediate);
  release();
  assert.equal((await answer).status, 200);

  // The same of a body that stops half-way: there the client is the one that is waited for.
  const { port } = new URL(base);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    'PUT /api/v1/file/a HTTP/1.1\r\nhost: localhost\r\ncontent-type: image/png\r\ncontent-length: 9\r\n\r\nhalf',
  );
  socket.resume();
  await ended(socket);
});
