/** Access to the displayed bundle, and its paths. */
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { createLogger } from '../../../base/logger.ts';
import { plainServer } from '../../../links/http.ts';
import { BundleOrigin } from './bundle-origin.ts';
import { INDEX, noise, Site } from './tests/bundle-site.ts';

test('a bundle is served on both loopback addresses, with protective headers on every answer', async (t) => {
  const site = await Site.open(t, [INDEX, { name: 'app.js', content: 'export {};' }]);
  assert.match(site.origin.url('menu'), /^http:\/\/menu\.localhost:\d+\/$/);
  // Containers often have no IPv6.
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const hasIpv6 = addresses.some(({ address }) => address === '::1');
  for (const host of hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']) {
    assert.match(
      await site.raw('GET / HTTP/1.1\nHost: HOST\nConnection: close\n\n', host),
      /^HTTP\/1\.1 200 OK\r\n/,
    );
  }
  const answers = [
    await site.get('/'),
    await site.get('/app.js', { 'accept-encoding': 'gzip' }),
    await site.get('/app.js', { range: 'bytes=0-1' }),
    await site.get('/app.js', { range: 'bytes=99-' }),
    await site.get('/nothing'),
    await site.get('/%'),
    await site.get('/', { host: 'other.localhost' }),
    await site.get('/', { 'sec-fetch-site': 'cross-site' }),
    await site.get('/', {}, 'POST'),
    await site.get('/', { 'if-none-match': '*' }),
    await site.get('/', { 'if-match': '"x"' }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 206, 416, 404, 400, 421, 403, 405, 304, 412],
  );
  for (const { status, headers } of answers) {
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin', String(status));
    assert.equal(headers['content-security-policy'], "frame-ancestors 'self'", String(status));
    assert.equal(headers['x-frame-options'], 'SAMEORIGIN', String(status));
    assert.equal(headers['x-content-type-options'], 'nosniff', String(status));
    assert.equal(headers['origin-agent-cluster'], '?1', String(status));
    assert.equal(headers['cache-control'], 'no-cache', String(status));
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
      [],
    );
  }
  assert.equal(answers[0]?.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(answers[8]?.headers.allow, 'GET, HEAD');
});

test('only the displayed bundle is served, and only under its own name', async (t) => {
  const site = await Site.open(t, [INDEX]);
  const { port } = site;
  const status = async (host: string) => (await site.get('/', { host })).status;
  assert.equal(await status(`MENU.LocalHost:${port}`), 200);
  for (const host of [
    'menu.localhost',
    `menu.localhost:${port + 1}`,
    `menu.localhost.:${port}`,
    `other.localhost:${port}`,
    `x.menu.localhost:${port}`,
    `localhost:${port}`,
    `127.0.0.1:${port}`,
    `menu.localhost.evil.example:${port}`,
    '',
  ]) {
    assert.equal(await status(host), 421, host);
  }
  site.active = 'other';
  assert.equal(await status(`menu.localhost:${port}`), 421);
  assert.equal(await status(`other.localhost:${port}`), 200);
  site.active = undefined;
  assert.equal(await status(`menu.localhost:${port}`), 421);
  site.active = 'menu';
  site.file = undefined;
  assert.equal(await status(`menu.localhost:${port}`), 404);
});

test('requests of other sites’ pages are refused', async (t) => {
  const site = await Site.open(t, [INDEX]);
  const status = async (headers: Record<string, string>) => (await site.get('/', headers)).status;
  const own = `http://menu.localhost:${site.port}`;
  for (const value of ['same-origin', 'none']) assert.equal(await status({ 'sec-fetch-site': value }), 200);
  for (const value of ['cross-site', 'same-site', '', 'other', 'none, none']) {
    assert.equal(await status({ 'sec-fetch-site': value }), 403, value);
  }
  assert.equal(await status({ origin: own }), 200);
  for (const origin of [
    'null',
    'http://evil.example',
    own.replace('menu', 'other'),
    own.replace('http', 'https'),
  ]) {
    assert.equal(await status({ origin }), 403, origin);
  }
});

test('a folder is answered with its index.html, and redirected without the slash', async (t) => {
  const site = await Site.open(t, [
    INDEX,
    { name: 'sub/index.html', content: 'sub' },
    { name: 'größe 1/index.html', content: 'size' },
    { name: 'bare/file.txt', content: 'file' },
  ]);
  assert.equal((await site.get('/sub/?x')).body.toString(), 'sub');
  assert.equal((await site.get('/gr%C3%B6%C3%9Fe%201/')).body.toString(), 'size');
  for (const [path, location] of [
    ['/sub', '/sub/'],
    ['/sub?a=1&b=%20?', '/sub/?a=1&b=%20?'],
    ['/gr%C3%B6%C3%9Fe%201', '/gr%C3%B6%C3%9Fe%201/'],
  ] as const) {
    const { status, headers, body } = await site.get(path);
    assert.deepEqual([status, headers.location, body.length], [308, location, 0]);
  }
  for (const path of [
    '/bare',
    '/bare/',
    '/Sub/',
    '/index.html/',
    '/sub/index.html/',
    '/%2e%2e/',
    '//',
    '/bare//file.txt',
  ])
    assert.ok([400, 404].includes((await site.get(path)).status), path);
});

test('HEAD is answered with the headers of GET and no body', async (t) => {
  const site = await Site.open(t, [INDEX, { name: 'large.bin', content: noise(100_000), stored: true }]);
  for (const path of ['/', '/large.bin', '/none', '/%']) {
    for (const more of [{}, { 'accept-encoding': 'gzip' }, { 'if-none-match': '*' }]) {
      const [head, get] = [await site.get(path, more, 'HEAD'), await site.get(path, more)];
      assert.equal(head.status, get.status);
      assert.deepEqual({ ...head.headers, date: '' }, { ...get.headers, date: '' });
      assert.equal(head.body.length, 0);
    }
  }
  // Range applies to GET only.
  assert.equal((await site.get('/large.bin', { range: 'bytes=0-1' }, 'HEAD')).status, 200);
});

test('unusual requests are answered as HTTP demands', async (t) => {
  const site = await Site.open(t, [INDEX]);
  const line = async (bytes: string) => (await site.raw(bytes)).split('\r\n')[0];
  const close = 'Connection: close\n\n';
  assert.equal(await line(`GET / HTTP/1.1\n${close}`), 'HTTP/1.1 400 Bad Request');
  const bad = 'HTTP/1.1 400 Bad Request';
  assert.equal(await line(`GET / HTTP/1.1\nHost: HOST\nHost: HOST\n${close}`), bad);
  assert.equal(await line(`GET http://HOST/ HTTP/1.1\nHost: HOST\n${close}`), 'HTTP/1.1 200 OK');
  assert.equal(await line(`GET http://HOST?x HTTP/1.1\nHost: HOST\n${close}`), 'HTTP/1.1 200 OK');
  assert.equal(await line(`GET http://HOST/ HTTP/1.1\nHost: other\n${close}`), bad);
  assert.equal(await line(`GET http://evil.example/ HTTP/1.1\nHost: HOST\n${close}`), bad);
  assert.equal(await line(`GET http://x@HOST/ HTTP/1.1\nHost: HOST\n${close}`), bad);
  assert.equal(await line(`GET / HTTP/1.0\nHost: HOST\n\n`), 'HTTP/1.1 200 OK');
  assert.equal(await line(`GET / HTTP/1.0\n\n`), 'HTTP/1.1 421 Misdirected Request');
  assert.equal(await line(`OPTIONS * HTTP/1.1\nHost: HOST\n${close}`), 'HTTP/1.1 421 Misdirected Request');
  assert.equal(await line(`OPTIONS / HTTP/1.1\nHost: HOST\n${close}`), 'HTTP/1.1 405 Method Not Allowed');
  assert.equal(await line(`GET /caf\xc3\xa9 HTTP/1.1\nHost: HOST\n${close}`), 'HTTP/1.1 400 Bad Request');
  assert.equal(
    await line(`GET / HTTP/1.1\nHost: HOST\nUpgrade: websocket\nConnection: upgrade, close\n\n`),
    'HTTP/1.1 200 OK',
  );
  const pipelined = await site.raw(`GET / HTTP/1.1\nHost: HOST\n\nGET /x HTTP/1.1\nHost: HOST\n${close}`);
  assert.deepEqual(pipelined.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 404']);
});

test('a port in use is an error, and nothing stays open', async (t) => {
  const site = await Site.open(t, [INDEX]);
  const options = {
    client: async () => Buffer.alloc(0),
    createServer: plainServer,
    active: () => 'menu',
    locate: () => undefined,
    log: createLogger('silent'),
  };
  const second = new BundleOrigin({ ...options, port: site.port });
  await assert.rejects(second.start(), { code: 'EADDRINUSE' });
  await second.stop();
});
