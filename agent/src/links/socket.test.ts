import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import * as Type from 'typebox';
import { WebSocket } from 'ws';
import { waitFor } from '../../../testing/wait.ts';
import { createLogger } from '../base/logger.ts';
import { ApiError } from '../contract/errors.ts';
import { topic } from '../contract/topics.ts';
import { EventBus } from '../events/bus.ts';
import { topics } from '../resources/contract.ts';
import { pageChannelClosed } from '../resources/page/schema.ts';
import { createGuard } from './guard.ts';
import { listen } from './http.ts';
import { EventSocket, type EventSocketOptions } from './socket.ts';
import { testApp } from './tests/test-app.ts';

const state = topic('display_state', Type.Unknown(), 'test');
const log = topic('log', Type.Unknown(), 'test');

type Frame = Readonly<Record<string, unknown>>;

const WAIT = { timeoutMs: 30_000, intervalMs: 5 };

async function serve(
  t: { after(clean: () => Promise<void>): void },
  options: Partial<EventSocketOptions> = {},
) {
  const { app } = testApp();
  const bus = new EventBus(topics);
  const guard = createGuard(() => ['vitrine']);
  const sendToPage = async () => {
    throw new ApiError(pageChannelClosed);
  };
  const events = new EventSocket({ bus, log: createLogger('silent'), guard, sendToPage, ...options });
  const http = await listen(app, [{ host: '127.0.0.1', port: 0 }], events.upgrade);
  t.after(async () => {
    await Promise.all([events.close(), http.close()]);
    await app.close();
  });
  const base = http.addresses[0] ?? '';
  return { app, bus, events, http, base, url: `${base.replace('http', 'ws')}/api/v1/events` };
}

/** A client; `next` returns its frames in order. */
async function client(url: string, localAddress = '127.0.0.1') {
  const socket = new WebSocket(url, { localAddress });
  const frames: Frame[] = [];
  const waiting: (() => void)[] = [];
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)));
    waiting.shift()?.();
  });
  await once(socket, 'open');
  return {
    socket,
    send: (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    async next(): Promise<Frame> {
      if (frames.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      const frame = frames.shift();
      assert.ok(frame);
      return frame;
    },
  };
}

/** The HTTP answer to a refused upgrade. */
async function refusal(url: string, options: object): Promise<{ status: number | undefined; body: unknown }> {
  const socket = new WebSocket(url, options);
  socket.on('error', () => undefined);
  const [, answer] = await once(socket, 'unexpected-response');
  let text = '';
  for await (const chunk of answer) text += chunk;
  return { status: answer.statusCode, body: JSON.parse(text) };
}

function codeOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)).error?.code;
}

test('sends events to every client that subscribed to them', async (t) => {
  const { bus, url } = await serve(t);
  const [one, two] = [await client(url), await client(url)];
  for (const each of [one, two]) {
    each.send({ type: 'subscribe', topics: ['display_state'] });
    assert.deepEqual(await each.next(), { type: 'subscribed', topics: ['display_state'] });
  }
  bus.emit(log, {});
  bus.emit(state, { mode: 'waiting' });
  for (const each of [one, two]) {
    const event = await each.next();
    assert.deepEqual(
      { ...event, ts: '' },
      { type: 'event', topic: 'display_state', ts: '', payload: { mode: 'waiting' } },
    );
    assert.match(String(event.ts), /^\d{4}-.*Z$/);
  }
});

test('reports what is wrong with a frame and continues', async (t) => {
  const { url } = await serve(t);
  const { socket, send, next } = await client(url);
  for (const bad of ['{', '[]', 'null', '']) {
    send(bad);
    assert.equal(codeOf(await next()), 'bad_frame', bad);
  }
  socket.send(Buffer.from('{"type":"subscribe","topics":[]}'), { binary: true });
  assert.equal(codeOf(await next()), 'bad_frame');
  send({ type: 'shell' });
  assert.equal(codeOf(await next()), 'bad_request');
  send({ type: 'page_message', payload: {} });
  assert.equal(codeOf(await next()), 'page_channel_closed');
  send({ type: 'subscribe', topics: ['log'] });
  assert.equal((await next()).type, 'subscribed');
});

test('takes a message of 1 MiB to the page; a frame that no message needs closes with 1009', async (t) => {
  const { url } = await serve(t);
  const { socket, send, next } = await client(url);
  send({ type: 'page_message', payload: 'x'.repeat(1024 * 1024 - 2) });
  assert.equal(codeOf(await next()), 'page_channel_closed');
  send(`{"type":"${'x'.repeat(1024 * 1024 + 4096)}"}`);
  const [code] = await once(socket, 'close');
  assert.equal(code, 1009);
});

test('a client that does not read is disconnected, and its subscriptions end', async (t) => {
  const { url, bus, events } = await serve(t);
  const { socket, send, next } = await client(url);
  send({ type: 'subscribe', topics: ['display_state'] });
  await next();
  socket.pause();
  const text = 'x'.repeat(64 * 1024);
  let sent = 0;
  while (events.clients > 0 && sent < 1000) {
    bus.emit(state, { text, sent });
    sent += 1;
    if (sent % 50 === 0) await new Promise(setImmediate);
    if (sent === 999) break;
  }
  socket.resume();
  const [code] = await once(socket, 'close');
  assert.equal(code, 1013);
});

test('refuses other sites, other paths and too many clients, in the envelope', async (t) => {
  const { url, base, events } = await serve(t);
  const foreign = await refusal(url, { headers: { origin: 'https://evil.example' } });
  assert.deepEqual([foreign.status, codeOf(foreign.body)], [403, 'forbidden']);
  const rebound = await refusal(url, { headers: { host: 'evil.example' } });
  assert.deepEqual([rebound.status, codeOf(rebound.body)], [403, 'forbidden']);
  const elsewhere = await refusal(`${base.replace('http', 'ws')}/api/v1/device`, {});
  assert.deepEqual([elsewhere.status, codeOf(elsewhere.body)], [404, 'not_found']);
  const asking = await refusal(`${url}?token=1`, {});
  assert.deepEqual([asking.status, codeOf(asking.body)], [400, 'bad_request']);
  const clients = [];
  for (let count = 0; count < 24; count += 1) clients.push(await client(url));
  const share = await refusal(url, {});
  assert.deepEqual([share.status, codeOf(share.body)], [429, 'too_many_requests']);
  for (let count = 0; count < 8; count += 1) clients.push(await client(url, '127.0.0.2'));
  const full = await refusal(url, { localAddress: '127.0.0.3' });
  assert.deepEqual([full.status, codeOf(full.body)], [429, 'too_many_requests']);
  const [first] = clients;
  assert.ok(first);
  first.socket.close();
  await once(first.socket, 'close');
  await waitFor(() => events.clients < clients.length, { ...WAIT, what: 'one to be let go' });
  await client(url);
});

test('our own page may connect', async (t) => {
  const { url, base } = await serve(t);
  const socket = new WebSocket(url, { headers: { origin: base, 'sec-fetch-site': 'same-origin' } });
  await once(socket, 'open');
});

test('a plain GET, an invalid handshake and other upgrades are answered', async (t) => {
  const { base } = await serve(t);
  const plain = await fetch(`${base}/api/v1/events`);
  assert.deepEqual([plain.status, codeOf(await plain.json())], [400, 'bad_request']);
  const raw = async (head: string) => {
    const socket = connectTcp(Number(new URL(base).port), '127.0.0.1');
    socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: ${head}\r\n\r\n`);
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
      if (text.includes('"message"')) socket.end();
    });
    await once(socket, 'close');
    return text;
  };
  assert.match(await raw('Upgrade\r\nUpgrade: websocket'), /^HTTP\/1.1 400 .*"bad_request"/s);
  assert.match(await raw('Upgrade, HTTP2-Settings\r\nUpgrade: h2c'), /^HTTP\/1.1 400 .*"bad_request"/s);
});

test('a client that does not answer pings is disconnected, one that does stays', {
  timeout: 60_000,
}, async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { url, events } = await serve(t);
  const present = await client(url);
  const gone = new WebSocket(url, { autoPong: false });
  await once(gone, 'open');
  await waitFor(() => events.clients === 2, { ...WAIT, what: 'both clients' });
  const closed = once(gone, 'close');
  for (let ping = 0; ping < 3; ping += 1) {
    const pinged = once(present.socket, 'ping');
    t.mock.timers.tick(20_000);
    await pinged;
    // Its pong is read before this frame, so the next ping may be sent then.
    present.send('{');
    assert.equal(codeOf(await present.next()), 'bad_frame');
  }
  assert.equal((await closed)[0], 1006);
  await waitFor(() => events.clients === 1, { ...WAIT, what: 'one to be let go' });
  assert.equal(present.socket.readyState, WebSocket.OPEN);
});

test('closes with 1001 when the agent stops', async (t) => {
  const { url, events } = await serve(t);
  const { socket } = await client(url);
  const closed = once(socket, 'close');
  await events.close();
  assert.equal((await closed)[0], 1001);
});

test('the path of the socket has only GET', async () => {
  const { app } = testApp();
  const answer = await app.inject({ method: 'POST', url: '/api/v1/events' });
  assert.equal(answer.statusCode, 405);
  assert.equal(answer.headers.allow, 'GET, HEAD');
});
