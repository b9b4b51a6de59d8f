import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { ownNames } from '../base/cable.ts';
import { createGuard } from './guard.ts';
import { testApp } from './tests/test-app.ts';

interface Case {
  why: string;
  host?: string;
  origin?: string;
  site?: string;
  /** The request of a browser whose user followed a link. */
  link?: boolean;
  passes: boolean;
}

const LINK = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

const CASES: readonly Case[] = [
  { why: 'a program that is no browser', passes: true },
  { why: 'localhost', host: 'localhost:8080', passes: true },
  { why: 'the device by name', host: 'vitrine', passes: true },
  { why: 'the device by mDNS name', host: 'Vitrine.local.', passes: true },
  { why: 'an IPv6 address', host: '[fe80::1]:80', passes: true },
  { why: 'the forwarded port of the virtual machine', host: '127.0.0.1:8080', passes: true },
  { why: 'a name that was made to resolve to the device', host: 'evil.example', passes: false },
  { why: 'a content bundle', host: 'menu.localhost:8080', passes: false },
  { why: 'a longer name that begins with ours', host: 'vitrine.evil.example', passes: false },
  { why: 'a name that ends with ours', host: 'evilvitrine', passes: false },
  { why: 'a host that is none', host: 'a b', passes: false },
  { why: 'an empty host', host: '', passes: false },
  { why: 'our own page', host: 'vitrine:80', origin: 'http://vitrine', site: 'same-origin', passes: true },
  { why: 'our own page, IPv6', host: '[fe80::1]:8080', origin: 'http://[FE80::1]:8080', passes: true },
  { why: 'our own page over TLS', host: '10.55.77.1', origin: 'https://10.55.77.1', passes: true },
  { why: 'a page of another port', host: '127.0.0.1:8080', origin: 'http://127.0.0.1:3000', passes: false },
  { why: 'a page of another site', host: '10.55.77.1', origin: 'https://evil.example', passes: false },
  { why: 'a page, by a port that is none', host: 'vitrine:99999', origin: 'http://vitrine', passes: false },
  { why: 'a sandboxed frame', host: '10.55.77.1', origin: 'null', passes: false },
  { why: 'an extension', host: '10.55.77.1', origin: 'moz-extension://10.55.77.1', passes: false },
  { why: 'an address typed by the user', host: '10.55.77.1', site: 'none', passes: true },
  { why: 'an image on another site', host: '127.0.0.1', site: 'cross-site', passes: false },
  { why: 'a link to something that is done', site: 'cross-site', link: true, passes: false },
  { why: 'a page of another port, without Origin', host: '127.0.0.1', site: 'same-site', passes: false },
];

for (const { why, host, origin, site, link, passes } of CASES) {
  test(`${passes ? 'accepts' : 'refuses'} ${why}`, async () => {
    const { app } = testApp();
    const headers = {
      ...(host === undefined ? {} : { host }),
      ...(origin === undefined ? {} : { origin }),
      ...(site === undefined ? {} : { 'sec-fetch-site': site }),
      ...(link ? LINK : {}),
    };
    // light-my-request treats an empty Host as absent; a blank one is as invalid.
    const answer = await app.inject({
      method: 'POST',
      url: '/api/v1/echo',
      headers: { ...headers, ...(host === '' ? { host: ' ' } : {}) },
      payload: { value: 1 },
    });
    assert.equal(answer.statusCode, passes ? 200 : 403);
    if (!passes) assert.equal(answer.json().error.code, 'forbidden');
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
    assert.equal(answer.headers['x-frame-options'], 'DENY');
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    assert.equal(answer.headers['cross-origin-resource-policy'], 'same-origin');
  });
}

test('the appliance also has the name that all of them have, another computer has not', () => {
  for (const [isAppliance, own] of [
    [true, ['vitrine-cdef01', 'vitrine']],
    [false, ['vitrine-cdef01']],
  ] as const) {
    const names = ownNames('Vitrine-CDEF01', isAppliance);
    assert.deepEqual(names, own);
    const guard = createGuard(() => names);
    const ask = (host: string) =>
      guard(Object.assign(new IncomingMessage(new Socket()), { headers: { host } }));
    for (const name of own) ask(`${name}.local`);
    if (!isAppliance) assert.throws(() => ask('vitrine.local'), { code: 'forbidden' });
  }
});

test("accepting one host accepts no other, and a name only while it is the device's", () => {
  let name = 'vitrine';
  const guard = createGuard(() => [name]);
  const ask = (headers: IncomingHttpHeaders) =>
    guard(Object.assign(new IncomingMessage(new Socket()), { headers }));
  const refused = { code: 'forbidden' };
  for (const host of ['127.0.0.1:8080', 'localhost', '[fe80::1]']) {
    ask({ host });
    ask({ host });
    assert.throws(() => ask({ host: 'evil.example' }), refused);
    assert.throws(() => ask({ host, origin: 'https://evil.example' }), refused);
    assert.throws(() => ask({ host, 'sec-fetch-site': 'cross-site' }), refused);
    assert.throws(() => ask({}), refused);
  }
  ask({ host: 'vitrine.local' });
  name = 'lobby';
  assert.throws(() => ask({ host: 'vitrine.local' }), refused);
  ask({ host: 'lobby.local' });
});

test('other sites may link to the two pages for people, and to nothing else', () => {
  const guard = createGuard(() => ['vitrine']);
  const passes = (url: string, headers: IncomingHttpHeaders = {}, method = 'GET'): boolean => {
    const host = '10.55.77.1';
    const request = Object.assign(new IncomingMessage(new Socket()), {
      method,
      url,
      headers: { host, 'sec-fetch-site': 'cross-site', ...LINK, ...headers },
    });
    try {
      guard(request);
      return true;
    } catch {
      return false;
    }
  };
  for (const url of ['/', '/?from=wiki', '/api/v1/docs', '/api/v1/docs?x']) {
    assert.equal(passes(url), true, url);
    assert.equal(passes(url, { 'sec-fetch-site': 'same-site' }), true);
    for (const dest of ['iframe', 'frame', 'embed', 'object', 'empty', 'script', undefined]) {
      assert.equal(passes(url, { 'sec-fetch-dest': dest }), false, `${url} as ${dest}`);
    }
    for (const mode of ['cors', 'no-cors', 'same-origin', 'websocket', undefined]) {
      assert.equal(passes(url, { 'sec-fetch-mode': mode }), false, `${url} by ${mode}`);
    }
    for (const method of ['POST', 'HEAD', 'PUT', 'DELETE'])
      assert.equal(passes(url, {}, method), false, method);
    assert.equal(passes(url, { host: 'evil.example' }), false);
    assert.equal(passes(url, { origin: 'https://evil.example' }), false);
  }
  for (const url of [
    '/api/v1/device',
    '/api/v1/openapi.yaml',
    '/api/v1/docs/',
    '//',
    '/ui/status.js',
    '/api/v1/events',
  ]) {
    assert.equal(passes(url), false, url);
  }
});

test("names in the certificate are the device's, those of bundles never", () => {
  const asked: string[] = [];
  const guard = createGuard(
    () => ['vitrine'],
    (name) => {
      asked.push(name);
      return name !== 'evil.example';
    },
  );
  const ask = (host: string, origin?: string) =>
    guard(
      Object.assign(new IncomingMessage(new Socket()), { headers: { host, ...(origin ? { origin } : {}) } }),
    );
  const refused = { code: 'forbidden' };
  ask('Lobby.Example.:443', 'https://lobby.example.');
  assert.throws(() => ask('lobby.example', 'https://evil.example'), refused);
  assert.throws(() => ask('evil.example'), refused);
  assert.throws(() => ask('menu.localhost'), refused);
  assert.throws(() => ask('.example'), refused);
  assert.deepEqual(asked, ['lobby.example', 'lobby.example', 'evil.example']);
});

test('refuses before the body is read, on unknown paths and for body-less POSTs too', async () => {
  const { app, calls } = testApp();
  for (const url of ['/api/v1/reboot', '/api/v1/nothing-here', '/', '/api/v1/file/%zz']) {
    const answer = await app.inject({ method: 'POST', url, headers: { origin: 'https://evil.example' } });
    assert.equal(answer.statusCode, 403, url);
  }
  assert.deepEqual(calls, []);
});

test('a JSON body needs its content type', async () => {
  const { app } = testApp();
  const send = (type: string | undefined) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/echo',
      headers: { ...(type === undefined ? {} : { 'content-type': type }) },
      payload: '{"value":1}',
    });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', undefined]) {
    const answer = await send(type);
    assert.equal(answer.statusCode, 415, type);
    assert.match(answer.payload, /Send the body as application\/json/);
    assert.equal(answer.json().error.code, 'unsupported_media_type');
  }
  assert.equal((await send('application/json; charset=utf-8')).statusCode, 200);
});

test('bytes are not accepted in place of JSON, also where no body is needed', async () => {
  const { app, calls } = testApp();
  for (const type of ['application/octet-stream', 'image/png', 'Image/PNG; x=y']) {
    for (const [method, url] of [
      ['PATCH', '/anything'],
      ['POST', '/echo'],
      ['POST', '/reboot'],
      ['DELETE', '/file'],
    ] as const) {
      for (const payload of [Buffer.from('{"value":1}'), Readable.from(['{"value":1}'])]) {
        const chunked = payload instanceof Readable ? { 'transfer-encoding': 'chunked' } : {};
        const headers = { 'content-type': type, ...chunked };
        const answer = await app.inject({ method, url: `/api/v1${url}`, headers, payload });
        assert.equal(answer.statusCode, 415, `${type} ${url}`);
        assert.equal(answer.json().error.code, 'unsupported_media_type');
      }
    }
  }
  assert.deepEqual(calls, []);
});

test('refuses an unpaired surrogate', async () => {
  const { app, calls } = testApp();
  const send = (payload: string) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/echo',
      headers: { 'content-type': 'application/json' },
      payload,
    });
  const answer = await send('{"value":"caf\\ud83d"}');
  assert.deepEqual([answer.statusCode, answer.json().error.code], [400, 'bad_request']);
  assert.deepEqual(calls, []);
  assert.deepEqual((await send('{"value":"\\ud83d\\ude00"}')).json(), { value: '😀' });
});

test('refuses a body that is not UTF-8', async () => {
  const { app, calls } = testApp();
  const send = (payload: Buffer) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/echo',
      headers: { 'content-type': 'application/json' },
      payload,
    });
  for (const encoding of ['latin1', 'utf16le'] as const) {
    const answer = await send(Buffer.from('{"value":"B\u00fcro"}', encoding));
    assert.equal(answer.statusCode, 400, encoding);
    assert.equal(answer.json().error.code, 'bad_request');
  }
  assert.equal(calls.length, 0);
  const answer = await send(Buffer.from('\ufeff{"value":"B\u00fcro"}'));
  assert.deepEqual(answer.json(), { value: 'B\u00fcro' });
});

test('a content type without a body is accepted as no body', async () => {
  const { app, calls } = testApp();
  const headers = { 'content-type': 'application/octet-stream', 'content-length': '0' };
  const reboot = await app.inject({ method: 'POST', url: '/api/v1/reboot', headers });
  assert.equal(reboot.statusCode, 202);
  const echo = await app.inject({ method: 'POST', url: '/api/v1/echo', headers });
  assert.equal(echo.statusCode, 400);
  assert.deepEqual(calls, ['reboot']);
});

test('JSON is not accepted as an upload, and refused before it is read', async () => {
  const { app } = testApp();
  const answer = await app.inject({
    method: 'PUT',
    url: '/api/v1/unread',
    headers: { 'content-type': 'application/json' },
    payload: `"${'x'.repeat(2 * 1024 * 1024)}`,
  });
  assert.equal(answer.statusCode, 415);
});

test('a POST with the JSON content type and an empty body is a POST without a body', async () => {
  const { app, calls } = testApp();
  const answer = await app.inject({
    method: 'POST',
    url: '/api/v1/reboot',
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(answer.statusCode, 202);
  assert.deepEqual(calls, ['reboot']);
});

test('pages may load nothing from elsewhere, and may not be framed', async () => {
  const { app } = testApp();
  const { headers } = await app.inject({ method: 'GET', url: '/api/v1/page' });
  assert.equal(headers['x-frame-options'], 'DENY');
  assert.match(String(headers['content-security-policy']), /default-src 'none';.*frame-ancestors 'none'/);
});
