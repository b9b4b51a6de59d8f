/** What the protocol forbids ends the connection, on a real socket; what it allows is taken, but not without bound. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { BrowserStage, HELLO, send, until } from '../../../../testing/browser-stage.ts';

const ORIGIN = 'http://shop.example';
const LOAD = { event: 'load', state: 'started', load: 1, uri: 'http://a/' };
const OPEN = { event: 'channel', kind: 'page', channel: 4, open: true, origin: ORIGIN };
const DEVICES = { ...OPEN, kind: 'devices', channel: 5 };
const MESSAGE = { event: 'message', channel: 4, origin: ORIGIN, data: '1' };

let stage: BrowserStage;
beforeEach(async () => {
  stage = await BrowserStage.create();
  await stage.browser.start();
});
afterEach(() => stage.close());

async function closed(socket: Socket, what: string): Promise<void> {
  await until(`${what}: the end of the connection`, () => socket.destroyed || socket.readableEnded);
}

const CONSOLE = { event: 'console', level: 'log', text: '', source: null, line: null, left_out: 0 };

const FORBIDDEN: readonly [string, readonly (object | string)[]][] = [
  ['what is not JSON', ['garbage\n']],
  ['an empty line', ['\n']],
  ['a list', ['[1]\n']],
  ['an object without a kind', [{}]],
  ['a line that is too long', [`{"event":"${'x'.repeat(1024 * 1024)}"}\n`]],
  ['a line that is too long and does not end', ['x'.repeat(1024 * 1024 + 1)]],
  ['a second hello', [HELLO]],
  ['a known event that is malformed', [{ ...LOAD, state: 'exploded' }]],
  ['an event without a member', [{ event: 'page_gone' }]],
  ['a text that is too long', [{ ...LOAD, uri: `http://${'a'.repeat(16 * 1024)}/` }]],
  ['a number that is none', [{ ...LOAD, load: -1 }]],
  ['a message of the console of an unknown level', [{ ...CONSOLE, level: 'fatal' }]],
  ['a message of the console without a text', [{ ...CONSOLE, text: undefined }]],
  ['a message of the console that is too long', [{ ...CONSOLE, text: 'x'.repeat(16 * 1024 + 1) }]],
  ['a line before the first one', [{ ...CONSOLE, line: 0 }]],
  ['an answer to no command', [{ id: 1, ok: true }]],
  ['an answer that is malformed', [{ id: 0, ok: 1 }]],
  ['a message without credits', [OPEN, MESSAGE]],
  ['a message without credits, of a page with devices', [DEVICES, { ...MESSAGE, channel: 5 }]],
  ['a channel of an unknown kind', [{ ...OPEN, kind: 'files' }]],
  ['a channel without a kind', [{ ...OPEN, kind: undefined }]],
  ['a number that a channel of the other kind has', [OPEN, { ...DEVICES, channel: 4 }]],
  ['a number below that of the other kind', [DEVICES, OPEN]],
  ['a channel that is opened twice', [OPEN, { ...OPEN, open: false }, OPEN]],
  ['a part out of order', [{ body: 1, part: 1, data: 'x' }]],
  ['an empty part', [{ body: 1, part: 0, data: '' }]],
  ['a part that is too long', [{ body: 1, part: 0, data: 'x'.repeat(64 * 1024 + 1) }]],
  ['an end without parts', [{ id: 0, ok: true, field: 'png', body: 1, parts: 1 }]],
  [
    'a text for a member that has none',
    [
      { body: 1, part: 0, data: 'x' },
      { id: 0, ok: true, field: '__proto__', body: 1, parts: 1 },
    ],
  ],
  [
    'more resources than wait',
    Array.from({ length: 65 }, (_, n) => ({ event: 'resource', request: n, uri: 'vitrine:x' })),
  ],
];

for (const [what, messages] of FORBIDDEN) {
  test(`the connection ends after ${what}`, async () => {
    stage.find = () => ({ contentType: 'text/plain', version: '', read: () => new Promise(() => undefined) });
    const socket = await stage.greet();
    for (const message of messages) {
      if (typeof message === 'string') socket.write(message);
      else send(socket, message);
    }
    await closed(socket, what);
    await until('the disconnection', () => !stage.browser.connected);
    await stage.greet();
  });
}

test('nothing but a hello begins a connection', async () => {
  for (const first of [
    LOAD,
    { body: 1, part: 0, data: 'x' },
    { ...HELLO, pid: 0 },
    { ...HELLO, uri: 5 },
    [],
  ]) {
    const socket = stage.connect();
    send(socket, first);
    await closed(socket, JSON.stringify(first));
  }
  assert.deepEqual(stage.events, []);
});

test('credits count by size, and end with the channel', async () => {
  const socket = await stage.greet();
  const messages = () => stage.events.filter(({ event }) => event === 'message').length;
  const isOpen = (channel: number) =>
    stage.events.some((each) => each.event === 'channel' && each.open && each.channel === channel);
  send(socket, OPEN);
  await until('the channel', () => isOpen(4));
  stage.browser.credit(4, 3);
  const large = JSON.stringify('x'.repeat(3 * 64 * 1024));
  for (const data of ['1', '2']) send(socket, { ...MESSAGE, data });
  const parts = large.match(/.{1,65536}/gs) ?? [];
  for (const [part, data] of parts.entries()) send(socket, { body: 1, part, data });
  send(socket, { event: 'message', channel: 4, origin: ORIGIN, field: 'data', body: 1, parts: parts.length });
  await until('three messages', () => messages() === 3);
  stage.browser.credit(4, 64);
  send(socket, { ...OPEN, channel: 5 });
  await until('the next channel', () => isOpen(5));
  stage.browser.credit(4, 64);
  send(socket, { ...MESSAGE, channel: 4 });
  send(socket, { ...MESSAGE, channel: 5 });
  await closed(socket, 'a message without credits in the next channel');
  assert.equal(messages(), 3);
});

test('the channels of both kinds are open at a time, each with credits of its own', async () => {
  const socket = await stage.greet();
  const got = (kind: string) => stage.events.filter(({ event }) => event === kind).length;
  send(socket, OPEN);
  send(socket, DEVICES);
  await until('both channels', () => got('channel') + got('device_channel') === 2);
  stage.browser.credit(4, 1);
  stage.browser.credit(5, 2);
  for (const channel of [5, 4, 5]) send(socket, { ...MESSAGE, channel });
  await until('three messages', () => got('message') + got('device_message') === 3);
  stage.browser.credit(4, 64);
  // A close by the number of the other kind closes neither.
  send(socket, { ...OPEN, channel: 5, open: false });
  send(socket, { ...MESSAGE, channel: 4 });
  send(socket, { ...MESSAGE, channel: 5 });
  await closed(socket, 'a message of a page with devices that has credits of the other kind only');
  await until('the disconnection', () => !stage.browser.connected);
  const { origin } = OPEN;
  assert.deepEqual(stage.events.slice(1), [
    { event: 'channel', channel: 4, open: true, origin },
    { event: 'device_channel', channel: 5, open: true, origin },
    { event: 'device_message', channel: 5, data: '1' },
    { event: 'message', channel: 4, origin, data: '1' },
    { event: 'device_message', channel: 5, data: '1' },
    { event: 'message', channel: 4, origin, data: '1' },
    { event: 'channel', channel: 4, open: false, origin },
    { event: 'device_channel', channel: 5, open: false, origin },
    { event: 'disconnected' },
  ]);
});

test('a browser connects at once while eight silent connections exist', async () => {
  const silent = Array.from({ length: 8 }, () => stage.connect());
  await Promise.all(silent.map((each) => new Promise((resolve) => each.once('connect', resolve))));
  for (const each of silent.slice(0, 4)) each.write('{"event":"hel');
  const start = performance.now();
  await stage.greet();
  assert.ok(performance.now() - start < 2000);
  // The browser stays, however many connect and say nothing.
  for (let n = 0; n < 20; n += 1) silent.push(stage.connect());
  await until(
    'the oldest to be closed',
    () => silent.filter(({ readableEnded }) => readableEnded).length >= 21,
  );
  assert.equal(stage.browser.connected, true);
});

test('a browser that sends events all the time is read slower, and nothing is lost', async () => {
  const socket = await stage.greet();
  const painted = () => stage.events.flatMap((each) => (each.event === 'painted' ? [each.load] : []));
  const start = performance.now();
  for (let load = 0; load < 1200; load += 1) send(socket, { event: 'painted', load });
  await until('the events', () => painted().length === 1200);
  assert.ok(performance.now() - start > 1500, 'they came at once');
  assert.deepEqual(
    painted(),
    Array.from({ length: 1200 }, (_, n) => n),
  );
});

test('20 hellos are taken at once, then 5 a second; one that waits is not lost', async () => {
  const connected = () => stage.events.filter(({ event }) => event === 'connected').length;
  const start = performance.now();
  for (let n = 1; n <= 26; n += 1) {
    send(stage.connect(), HELLO);
    await until(`hello ${n}`, () => connected() === n);
  }
  const took = performance.now() - start;
  assert.ok(took > 900 && took < 30_000, `${took} ms`);
});

test('a browser that answers nothing gets no more commands after 512', async () => {
  await stage.greet();
  const calls = Array.from({ length: 512 }, () => stage.browser.evaluate('1', 60_000));
  const ends = Promise.allSettled(calls);
  await assert.rejects(stage.browser.evaluate('1', 60_000), { code: 'busy' });
  await stage.browser.stop();
  assert.ok((await ends).every(({ status }) => status === 'rejected'));
});
