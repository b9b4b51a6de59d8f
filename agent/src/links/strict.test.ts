/** Every endpoint refuses what the contract does not have, with the same message on both links. */
import assert from 'node:assert/strict';
import { connect as connectTo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { createLogger } from '../base/logger.ts';
import { BASE_PATH } from '../contract/api.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError } from '../contract/errors.ts';
import { endpoints } from '../resources/contract.ts';
import type { Route } from '../resources/route.ts';
import { unknownField } from '../validation/schema-at.ts';
import { createApp } from './app.ts';
import { type HttpLink, listen } from './http.ts';
import { connect, request } from './serial/tests/test-link.ts';

/** Answers reads, and changes with 409, so that every other error comes from before the handler. */
const reached = (endpoint: Endpoint): Route => ({
  endpoint,
  handler: ({ upload }) => {
    upload?.resume();
    if (endpoint.method !== 'GET') throw new ApiError('conflict');
    return endpoint.download ? Buffer.from('bytes') : { some: 'field' };
  },
});

let app: FastifyInstance;
let link: HttpLink;
let base: string;

before(async () => {
  app = createApp({ endpoints, routes: endpoints.map(reached), log: createLogger('silent') });
  link = await listen(app, [{ host: '127.0.0.1', port: 0 }]);
  base = `${link.addresses[0]}${BASE_PATH}`;
});
after(async () => {
  await link.close();
  await app.close();
});

const pathOf = ({ path }: Endpoint) => path.replaceAll(/\{\w+\}/g, 'menu');

interface Sent {
  type?: string;
  body?: string;
}

async function send(method: string, path: string, { type, body }: Sent = {}) {
  const answer = await fetch(`${base}${path}`, {
    method,
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
    ...(body === undefined ? {} : { body }),
  });
  const { error } = JSON.parse(await answer.text());
  return { status: answer.status, code: error.code, issues: error.details?.issues };
}

describe('a parameter that an endpoint does not have', () => {
  for (const endpoint of endpoints) {
    test(`${endpoint.method} ${endpoint.path}`, async () => {
      const type = endpoint.upload?.contentTypes[0];
      const sent = type === undefined ? {} : { type, body: 'x' };
      const { status, code, issues } = await send(endpoint.method, `${pathOf(endpoint)}?no_such=1`, sent);
      assert.deepEqual([status, code], [400, 'bad_request']);
      const known = Object.keys(endpoint.query?.properties ?? {});
      assert.deepEqual(issues, [{ path: '/no_such', message: unknownField('no_such', known) }]);
    });
  }
});

describe('a body where the endpoint has none', () => {
  const bodyless = endpoints.filter(
    ({ method, body, upload }) => method !== 'GET' && body === undefined && upload === undefined,
  );

  test('there are such endpoints', () => {
    const paths = bodyless.map(({ path }) => path);
    for (const path of ['/display/reload', '/display/waiting', '/device/reboot', '/content/{name}/check']) {
      assert.ok(paths.includes(path), path);
    }
  });

  for (const endpoint of bodyless) {
    test(`${endpoint.method} ${endpoint.path}`, async () => {
      const { method } = endpoint;
      const path = pathOf(endpoint);
      const type = 'application/json';
      for (const body of ['{"a":1}', '[]', 'null', '"x"', '1']) {
        const { status, code, issues } = await send(method, path, { type, body });
        assert.deepEqual([status, code, issues.length], [400, 'bad_request', 1], body);
      }
      assert.equal((await send(method, path, { type, body: '{"a"' })).status, 400);
      assert.equal((await send(method, path, { type: 'text/plain', body: 'x' })).status, 415);
      assert.equal((await send(method, path, { type: 'application/zip', body: 'x' })).status, 415);
      for (const empty of [{}, { type, body: '{}' }, { type, body: '' }, { type: 'text/plain', body: '' }]) {
        assert.equal((await send(method, path, empty)).status, 409, JSON.stringify(empty));
      }
    });
  }
});

test('an empty name in a path is 404', async () => {
  for (const [method, path] of [
    ['GET', '/operations/'],
    ['PUT', '/content/'],
    ['DELETE', '/content/'],
    ['POST', '/content//check'],
  ] as const) {
    const { status, code } = await send(method, path);
    assert.deepEqual([status, code], [404, 'not_found'], `${method} ${path}`);
  }
});

describe('HEAD', () => {
  const gets = endpoints.filter(({ method }) => method === 'GET');

  test('answers as GET does, without the body', async () => {
    for (const endpoint of gets) {
      const url = `${base}${pathOf(endpoint)}`;
      const [get, head] = [await fetch(url), await fetch(url, { method: 'HEAD' })];
      assert.equal((await get.text()).length, Number(head.headers.get('content-length')));
      assert.equal(await head.text(), '');
      assert.equal(head.status, 200, url);
      // `fetch` sends connection: close with a HEAD.
      const headers = (answer: Response) =>
        [...answer.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));
      assert.deepEqual(headers(head), headers(get), url);
    }
  });

  test('leaves the connection ready for the next request', async () => {
    const { hostname, port } = new URL(base);
    const socket = connectTo({ host: hostname, port: Number(port) });
    const head = (path: string, more = '') =>
      `HEAD ${BASE_PATH}${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    socket.end(
      head('/device') + head('/nothing') + head('/display?x=1') + head('/docs', 'Connection: close\r\n'),
    );
    const received = Buffer.concat(await socket.toArray()).toString();
    const heads = received.split('\r\n\r\n');
    assert.equal(heads.pop(), '', 'data follows the last head');
    assert.deepEqual(
      heads.map((text) => text.slice(0, 12)),
      ['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 400', 'HTTP/1.1 200'],
    );
  });

  test('is in Allow wherever GET is, and nowhere else', async () => {
    for (const { path } of endpoints) {
      const url = `${base}${path.replaceAll(/\{\w+\}/g, 'menu')}`;
      const allow = (await fetch(url, { method: 'OPTIONS' })).headers.get('allow') ?? '';
      const methods = endpoints.filter((other) => other.path === path).map(({ method }) => `${method}`);
      const wanted = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
      assert.deepEqual(allow.split(', ').sort(), wanted.sort(), path);
    }
  });
});

test('the serial link gives the same answers', async (t) => {
  const { port, link: serial } = await connect({ app, endpoints });
  t.after(() => serial.close());
  const requests: [number, string, string, unknown?][] = [
    [400, 'GET', '/device?x=1'],
    [404, 'GET', '/operations/'],
    [400, 'GET', '/device/logs?limit=0x10'],
    [400, 'POST', '/display/reload', { junk: true }],
    [400, 'POST', '/display/reload', null],
    [409, 'POST', '/display/reload', {}],
    [400, 'POST', '/display/reload?x=1'],
  ];
  for (const [id, [wanted, method, path, body]] of requests.entries()) {
    const overHttp = await fetch(`${base}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    port.send(request(id, method, path, body === undefined ? {} : { body }));
    const { status, body: answer } = JSON.parse(JSON.stringify(await port.line()));
    assert.equal(overHttp.status, wanted, path);
    assert.deepEqual({ status, answer }, { status: wanted, answer: await overHttp.json() }, path);
  }
});
