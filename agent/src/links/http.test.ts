import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { type HttpLink, listen, plainServer } from './http.ts';
import { testApp } from './tests/test-app.ts';

/** Shorter than the 15 s for which a kept-alive connection would delay closing the link. */
const KEPT_MS = 12_000;

test('answers on every address and closes at once', {
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

test('a connection that the system cannot accept does not stop the server', async (t) => {
  const { app } = testApp();
  await app.ready();
  const link = plainServer(app.routing);
  t.after(async () => {
    await link.close();
    await app.close();
  });
  const address = await link.bind({ host: '127.0.0.1', port: 0 });
  // As Node reports a failed accept(2).
  link.server.emit('error', Object.assign(new Error('accept ENOBUFS'), { code: 'ENOBUFS' }));
  assert.equal((await fetch(`${address}/api/v1/nothing`)).status, 404);
});

test('an address in use is an error, and no other address stays open', async () => {
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

/** Resolves when a connection is closed, normally or by a reset: which of them occurs depends on the kernel. */
function ended(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Sends raw bytes and returns everything received until the agent closes the connection. */
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

test('input that is not HTTP gets the envelope, and the connection is closed', async (t) => {
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

test('requests that Node would answer by itself get the envelope, too', async (t) => {
  const { port } = await serve(t);
  const close = 'Connection: close\r\n';
  const noHost = await raw(port, `GET /api/v1/page HTTP/1.1\r\n${close}\r\n`);
  assert.match(noHost, /^HTTP\/1\.1 400 .*"code":"bad_request"/s);
  const proxy = await raw(port, 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n');
  assert.match(proxy, /^HTTP\/1\.1 404 .*"code":"not_found"/s);
  // A server may ignore an expectation that it does not understand.
  const odd = await raw(port, `GET /api/v1/page HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n${close}\r\n`);
  assert.match(odd, /^HTTP\/1\.1 200 /);
});

test('a request names one host: two Host headers, or a target with another name, are 400', async (t) => {
  const { port } = await serve(t);
  const end = 'Connection: close\r\n\r\n';
  const upgrade = 'Upgrade: websocket\r\nConnection: upgrade\r\n\r\n';
  const host = 'Host: localhost\r\n';
  for (const head of [
    `GET /api/v1/page HTTP/1.1\r\n${host}${host}`,
    `GET /api/v1/page HTTP/1.1\r\n${host}hOST: evil.example\r\n`,
    `GET http://evil.example/api/v1/page HTTP/1.1\r\n${host}`,
    `GET http://localhost/api/v1/page HTTP/1.1\r\nHost: localhost:81\r\n`,
    `GET http://localhost/api/v1/page HTTP/1.1\r\nHost: evil.example\r\n`,
    `GET http://x@localhost/api/v1/page HTTP/1.1\r\n${host}`,
    `GET ftp://localhost/api/v1/page HTTP/1.1\r\n${host}`,
    `GET http://localhost/api/v1/page HTTP/1.0\r\n`,
  ]) {
    for (const tail of [end, upgrade]) {
      assert.match(await raw(port, head + tail), /^HTTP\/1\.1 400 .*"code":"bad_request"/s, head);
    }
  }
  for (const target of ['http://localhost/api/v1/page', 'HTTP://LOCALHOST:80/api/v1/page?']) {
    assert.match(await raw(port, `GET ${target} HTTP/1.1\r\n${host}${end}`), /^HTTP\/1\.1 200 /, target);
  }
  assert.match(await raw(port, `GET http://localhost HTTP/1.1\r\n${host}${end}`), /^HTTP\/1\.1 404 /);
});

test('a JSON body that arrives too slowly is cut off, also where the endpoint has no body', async (t) => {
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

test('a client gets the answer although its body is refused unread', async (t) => {
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

test('refusing a large body closes the connection, refusing a small one does not', {
  timeout: KEPT_MS,
}, async (t) => {
  const { port } = await serve(t);
  const head = (length: string) =>
    `PUT /api/v1/unread HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\n${length}\r\n\r\n`;
  const lengths = ['Content-Length: 300000000', 'Transfer-Encoding: chunked'];
  // The answer comes before the body, which the client then need not send.
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

test('closing the link waits for a request in progress', async (t) => {
  const { link, base, release, waiting } = await serve(t);
  const answer = fetch(`${base}/api/v1/slow`);
  while (waiting() === 0) await new Promise(setImmediate);
  const closed = link.close();
  release();
  assert.equal((await answer).status, 200);
  await closed;
  await assert.rejects(fetch(`${base}/api/v1/slow`));
});

test('a request that does not end does not prevent closing', { timeout: KEPT_MS }, async (t) => {
  const { link, base, waiting } = await serve(t);
  const answer = fetch(`${base}/api/v1/slow`);
  answer.catch(() => undefined);
  while (waiting() === 0) await new Promise(setImmediate);
  await link.close();
  await assert.rejects(answer);
});

test('an idle connection is closed, but not while its request is being processed', async (t) => {
  const { app, release, waiting } = testApp();
  await app.ready();
  const link = plainServer(app.routing);
  t.after(async () => {
    await link.close();
    await app.close();
  });
  // Only from the request on: on a busy computer the connection could otherwise be closed before it.
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

  // With half a body the agent waits for the client, so the connection is closed.
  const { port } = new URL(base);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    'PUT /api/v1/file/a HTTP/1.1\r\nhost: localhost\r\ncontent-type: image/png\r\ncontent-length: 9\r\n\r\nhalf',
  );
  socket.resume();
  await ended(socket);
});
