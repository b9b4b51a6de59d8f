/** Mistakes that people make, and the words that let them correct it without documents: the same on every link. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { WebSocket } from 'ws';
import { createLogger } from '../base/logger.ts';
import { BASE_PATH } from '../contract/api.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError } from '../contract/errors.ts';
import { RULE } from '../contract/shared.ts';
import { EventBus } from '../events/bus.ts';
import { endpoints, topics } from '../resources/contract.ts';
import type { Route } from '../resources/route.ts';
import { createApp } from './app.ts';
import { createGuard } from './guard.ts';
import { type HttpLink, listen } from './http.ts';
import { type Connected, connect } from './serial/tests/test-link.ts';
import { EventSocket, refusePlainEvents } from './socket.ts';

const log = createLogger('silent');
/** Everything that reaches a handler is right. */
const reached = (endpoint: Endpoint): Route => ({
  endpoint,
  handler: () => {
    throw new ApiError('conflict');
  },
});

type Mistake = readonly [method: string, path: string, body: unknown, says: RegExp];
const URL_RULE = /\/url must begin with http:\/\/ or https:\/\/.*https:\/\/example\.com\//;
const REQUESTS: readonly Mistake[] = [
  ['POST', '/display/navigate', { url: 'example.com' }, URL_RULE],
  ['POST', '/display/navigate', { url: 'ftp://example.com/' }, URL_RULE],
  [
    'POST',
    '/display/navigate',
    undefined,
    /^The body is missing: send JSON such as {"url":"https:\/\/example\.com\/"}/,
  ],
  ['POST', '/display/navigate', {}, /^\/url is required/],
  ['POST', '/display/navigate', { URL: 'http://a' }, /\/URL is not a known field; did you mean url\?/],
  ['POST', '/display/navigate', { uri: 'http://a' }, /\/uri is not a known field; did you mean url\?/],
  [
    'POST',
    '/display/navigate',
    { url: 'http://a', wait: true },
    /\/wait is not a known field; known are url$/,
  ],
  ['POST', '/display/navigate', ['http://a'], /^The body must be object/],
  [
    'POST',
    '/display/bundle',
    { name: 'My App' },
    /\/name must have 1 to 63 of a-z, 0-9 and, inside, -, such as my-app/,
  ],
  ['POST', '/display/bundle', undefined, /send JSON such as {"name":"menu"}/],
  ['POST', '/display/bundle', { bundle: 'menu' }, /\/bundle is not a known field; known are name/],
  ['POST', '/display/execute-js', undefined, /send JSON such as {"script":/],
  ['POST', '/display/screen', { on: 'yes' }, /\/on must be boolean/],
  ['POST', '/display/screen', { state: true }, /\/state is not a known field; known are on/],
  ['POST', '/display/reload', { hard: true }, /\/hard is not a known field; there are none here/],
  ['GET', '/display/screenshot?scren=1', undefined, /\/scren is not a known field; did you mean screen\?/],
  [
    'GET',
    '/device/logs?since=yesterday',
    undefined,
    /\/since must be an ISO time with its zone, such as 2026/,
  ],
  ['GET', '/device/logs?since=2026-11-28', undefined, /\/since must be an ISO time/],
  ['GET', '/device/logs?limit=many', undefined, /\/limit must be integer/],
  ['GET', '/device/logs?limit=5000', undefined, /\/limit must be <= 1000/],
  [
    'GET',
    '/device/logs?lines=5',
    undefined,
    /\/lines is not a known field; did you mean limit|known are since, limit/,
  ],
  ['GET', '/device?verbose=1', undefined, /\/verbose is not a known field; there are none here/],
  [
    'PATCH',
    '/config',
    { display: { rotaton: 90 } },
    /\/display\/rotaton is not a known field; did you mean rotation\?/,
  ],
  ['PATCH', '/config', { dispaly: {} }, /\/dispaly is not a known field; did you mean display\?/],
  ['PATCH', '/config', { display: { rotation: 45 } }, /\/display\/rotation must be one of 0, 90, 180, 270/],
  ['PATCH', '/config', { display: { forced_mode: '1080p' } }, /such as 1920x1080@60/],
  ['PATCH', '/config', { display: { boot_bundle: 'Menu.zip' } }, /\/display\/boot_bundle must have 1 to 63/],
  [
    'PATCH',
    '/config',
    { display: { power_schedule: [{ days: ['mon'], on: '8:00', off: '18:00' }] } },
    /such as 08:00/,
  ],
  ['PATCH', '/config', { device: { timezone: 'Central European Time' } }, /such as Europe\/Zurich/],
  ['PATCH', '/config', { device: { ntp_servers: ['http://ntp'] } }, /such as ntp\.example/],
  ['PATCH', '/config', { browser: { languages: ['de_CH'] } }, /such as de-CH/],
  [
    'PATCH',
    '/config',
    { browser: { permissions: [{ origin: 'a.example', kind: 'camera' }] } },
    /an origin without a path/,
  ],
  ['PATCH', '/config', { wifi: { country: 'Germany' } }, /two capital letters, such as DE/],
  ['PATCH', '/config', { wifi: { ap: { psk: 'short' } } }, /8 to 63 characters/],
  ['PATCH', '/config', { proxy: { http: 'proxy:3128' } }, /must begin with http/],
  ['PATCH', '/config', { input: { keyboard_layout: 'German' } }, /such as de or ch\(fr\)/],
  ['PATCH', '/config', undefined, /send JSON such as {"display":{"rotation":90}}/],
  ['PUT', '/config', {}, /has GET, HEAD, PATCH only/],
  ['POST', '/device', undefined, /has GET.* only/],
  ['PUT', '/content', undefined, /has GET.* only\. Did you mean PUT \/api\/v1\/content\/{name}\?/],
  ['DELETE', '/content', undefined, /Did you mean DELETE \/api\/v1\/content\/{name}\?/],
  ['GET', '/devices', undefined, /There is nothing at \/api\/v1\/devices\. Did you mean \/api\/v1\/device\?/],
  ['GET', '/device/', undefined, /Did you mean \/api\/v1\/device\?/],
  ['GET', '/display/screenshots', undefined, /Did you mean \/api\/v1\/display\/screenshot\?/],
  ['POST', '/display/navigat', undefined, /Did you mean \/api\/v1\/display\/navigate\?/],
  ['POST', '/display/waitng', undefined, /Did you mean \/api\/v1\/display\/waiting\?/],
  ['GET', '/operation/x', undefined, /Did you mean \/api\/v1\/operations\/x\?/],
  ['GET', '/blutooth', undefined, /Did you mean \/api\/v1\/bluetooth\?/],
  ['PUT', '/content/My%20App', undefined, /\/name must have 1 to 63/],
  ['POST', '/bluetooth/pair', { address: 'aa:bb:cc:dd:ee:ff' }, /AA:BB:CC:DD:EE:FF, in upper case/],
  ['POST', '/nfc/transceive', { reader_id: 'x', tag_handle: 'y', apdu: '00 A4' }, /\/apdu must be base64/],
  ['POST', '/audio', { volume: 150 }, /\/volume must be <= 100/],
  ['POST', '/audio', { vol: 50 }, /\/vol is not a known field/],
  ['POST', '/device/factory-reset', undefined, /send JSON such as {"confirm":/],
  ['GET', '/events', undefined, /WebSocket/],
];

/** JSON that is none, and what is said, on REST, on serial and on the WebSocket. */
const BROKEN: readonly (readonly [text: string, says: RegExp])[] = [
  ["{'type':'x'}", /is not JSON: Expected property name.* position 1 \(line 1 column 2\)/],
  ['{"type":"x",}', /is not JSON: Expected double-quoted property name.* position 12/],
  ['{"type":x}', /is not JSON: Unexpected token 'x'/],
  ['{"type":"x"', /is not JSON: Expected ',' or '}' after property value.*column 12/],
];

const FRAMES: readonly (readonly [frame: Record<string, unknown>, says: RegExp])[] = [
  [{ type: 'subscribe' }, /\/topics must be an array of topics, such as \["display_state"\]/],
  [{ type: 'subscribe', topic: 'log' }, /\/topic is not a known field; did you mean topics\?/],
  [{ type: 'subscribe', topics: ['displaystate'] }, /did you mean display_state\?/],
  [{ type: 'subscribe', topics: ['log'], id: 1 }, /\/id is not a known field; known are type, topics/],
  [{ type: 'suscribe', topics: ['log'] }, /There is no frame type suscribe\. Did you mean subscribe\?/],
  [{ type: 'ping' }, /There is no frame type ping\. Types are subscribe, unsubscribe, page_message/],
  [{ topics: ['log'] }, /The frame has no type\. Types are/],
  [{ type: 'page_message', data: {} }, /\/data is not a known field; known are type, payload/],
];

let app: FastifyInstance;
let link: HttpLink;
let events: EventSocket;
let serial: Connected;
let base: string;

before(async () => {
  const guard = createGuard(() => ['vitrine']);
  app = createApp({ endpoints, routes: endpoints.map(reached), log, guard });
  refusePlainEvents(app);
  events = new EventSocket({ bus: new EventBus(topics), log, guard, sendToPage: async () => undefined });
  link = await listen(app, [{ host: '127.0.0.1', port: 0 }], events.upgrade);
  base = link.addresses[0] ?? '';
  serial = await connect({ app, endpoints });
});
after(async () => {
  await serial.link.close();
  await events.close();
  await link.close();
  await app.close();
});

const messageOf = (answer: unknown): string => JSON.parse(JSON.stringify(answer)).error?.message;

for (const [method, path, body, says] of REQUESTS) {
  test(`${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`, async () => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const json = text === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: text };
    const answer = await fetch(`${base}${BASE_PATH}${path}`, { method, ...json });
    const message = messageOf(await answer.json());
    assert.match(message, says);
    serial.port.send({ id: 1, type: 'request', method, path: BASE_PATH + path, body });
    assert.equal(messageOf((await serial.port.line()).body), message);
  });
}

test('a path outside the API names the one inside, on both links', async () => {
  for (const path of ['/v1/device', '/device', '/api/device']) {
    const message = messageOf(await (await fetch(base + path)).json());
    assert.match(message, /Did you mean \/api\/v1\/device\?/, path);
    serial.port.send({ id: 1, type: 'request', method: 'GET', path });
    assert.equal(messageOf((await serial.port.line()).body), message);
  }
});

test('broken JSON says where, on every link', async () => {
  const socket = await openSocket();
  for (const [text, says] of BROKEN) {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${base}${BASE_PATH}/display/navigate`, {
      method: 'POST',
      headers,
      body: text,
    });
    assert.match(messageOf(await answer.json()), says);
    serial.port.send(`${text}\n`);
    assert.match(messageOf(await serial.port.line()), says);
    socket.send(text);
    assert.match(messageOf(await next(socket)), says);
  }
  socket.close();
});

test('mistakes in frames are the same on the WebSocket and on serial', async () => {
  const socket = await openSocket();
  for (const [frame, says] of FRAMES) {
    socket.send(JSON.stringify(frame));
    const message = messageOf(await next(socket));
    assert.match(message, says);
    serial.port.send(frame);
    // Serial has more types of frames.
    assert.ok(messageOf(await serial.port.line()).startsWith(message.replace(/\.$/, '')), message);
  }
  socket.send(Buffer.from('{"type":"subscribe","topics":[]}'), { binary: true });
  assert.match(messageOf(await next(socket)), /The frame is binary\. Send one JSON object as text/);
  socket.close();
});

test('frames of requests with unknown fields are refused', async () => {
  const path = `${BASE_PATH}/device`;
  for (const [more, says] of [
    [{ headers: {} }, /\/headers is not a known field; known are type, id, method, path, body, body_b64/],
    [{ methd: 'GET' }, /\/methd is not a known field; did you mean method\?/],
  ] as const) {
    serial.port.send({ id: 1, type: 'request', method: 'GET', path, ...more });
    assert.match(messageOf((await serial.port.line()).body), says);
  }
});

test('a host can ask for the greeting, and an echoed one is not answered', async () => {
  serial.port.send({ type: 'hello' });
  const hello = await serial.port.line();
  assert.equal(hello.type, 'hello');
  serial.port.send(hello);
  serial.port.send({ type: 'ping' });
  assert.match(messageOf(await serial.port.line()), /no frame type ping/);
});

test('a WebSocket elsewhere is told where it is, and another Host which are accepted', async () => {
  const wrong = new WebSocket(`${base.replace('http', 'ws')}/events`);
  const [, response] = await once(wrong, 'unexpected-response');
  assert.match(messageOf(JSON.parse(String(await response.read()))), /It is at \/api\/v1\/events\./);
  wrong.on('error', () => undefined).terminate();
  const answer = await app.inject({ url: `${BASE_PATH}/device`, headers: { host: 'display.example' } });
  assert.match(messageOf(answer.json()), /names "display\.example".*its host name \(also with \.local\)/);
});

test('every text with a pattern in what hosts send has words for it', () => {
  const silent: string[] = [];
  let spoken = 0;
  const look = (schema: unknown, where: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if (RULE in schema) spoken += 1;
    else if ('pattern' in schema && typeof schema.pattern === 'string') silent.push(where);
    for (const [key, value] of Object.entries(schema)) look(value, `${where}/${key}`);
  };
  for (const { method, path, params, query, body } of endpoints) {
    for (const part of [params, query, body]) look(part, `${method} ${path}`);
  }
  assert.deepEqual(silent, []);
  assert.ok(spoken > 20, String(spoken));
});

async function openSocket(): Promise<WebSocket> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}${BASE_PATH}/events`);
  await once(socket, 'open');
  return socket;
}

async function next(socket: WebSocket): Promise<unknown> {
  const [data] = await once(socket, 'message');
  return JSON.parse(String(data));
}
