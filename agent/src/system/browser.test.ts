import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { createLogger } from '../base/logger.ts';
import type { BrowserEvent } from '../resources/display/ports.ts';
import { BrowserSocket } from './browser.ts';
import type { ResourceSource } from './page-resources.ts';

const HELLO = { event: 'hello', protocol: 1, pid: 7, webkit: '2.54.2', uri: null };

let folder: string;
let path: string;
let browser: BrowserSocket;
let resource: ResourceSource;
let events: BrowserEvent[];
const KINDS = ['connected', 'disconnected', 'load', 'load_failed', 'painted', 'page_gone'] as const;
const peers: Socket[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-browser-'));
  path = join(folder, 'browser.sock');
  resource = async () => undefined;
  browser = new BrowserSocket(path, createLogger('silent'), (uri) => resource(uri));
  events = [];
  browser.on(KINDS, (event) => events.push(event));
});
afterEach(async () => {
  for (const peer of peers.splice(0)) peer.destroy();
  await browser.stop();
  await rm(folder, { recursive: true });
});

/** A peer at the other end of the socket; `answer` says what it answers to a command. */
function peer(answer?: (command: Record<string, unknown>) => object | undefined): Socket {
  const socket = connect(path);
  socket.on('error', () => undefined);
  peers.push(socket);
  createInterface({ input: socket }).on('line', (line) => {
    const command = JSON.parse(line);
    const said = answer?.(command);
    if (said) socket.write(`${JSON.stringify({ id: command.id, ...said })}\n`);
  });
  return socket;
}

const send = (socket: Socket, message: unknown) => socket.write(`${JSON.stringify(message)}\n`);

async function until(what: string, condition: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > end) assert.fail(`${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test('makes the socket in place of a stale one, for nobody else', async () => {
  await writeFile(path, 'stale');
  await browser.start();
  const made = await stat(path);
  assert.ok(made.isSocket());
  assert.equal(made.mode & 0o777, 0o660);
});

test('carries commands and answers, also out of order', async () => {
  await browser.start();
  const commands: Record<string, unknown>[] = [];
  const socket = peer((command) => {
    commands.push(command);
    if (command.command === 'screenshot') return undefined; // answered below, late
    return command.command === 'terminate_page'
      ? { ok: false, message: 'no page' }
      : { ok: true, restart_required: true };
  });
  send(socket, { ...HELLO, uri: 'http://a/' });
  await until('hello', () => browser.connected);
  assert.equal(browser.pid, 7);
  assert.equal(browser.uri, 'http://a/');
  const picture = browser.screenshot();
  const settings = { userAgent: 'X/1', ignoreTlsErrors: true, memoryLimitMb: 300 };
  assert.equal(await browser.configure(settings), true);
  await assert.rejects(browser.terminatePage(), { code: 'refused', message: 'no page' });
  const shot = commands.find(({ command }) => command === 'screenshot');
  send(socket, { id: shot?.id, ok: true, png: Buffer.from('picture').toString('base64') });
  assert.equal(String(await picture), 'picture');
  assert.deepEqual(
    commands.find(({ command }) => command === 'configure'),
    { id: 2, command: 'configure', user_agent: 'X/1', ignore_tls_errors: true, memory_limit_mb: 300 },
  );
});

test('half a character does not reach the browser', async () => {
  await browser.start();
  const lines: unknown[] = [];
  const socket = peer((command) => {
    lines.push(command.html);
    return { ok: true };
  });
  send(socket, HELLO);
  await until('the hello', () => browser.connected);
  await browser.loadHtml('caf\ud83d <b>😀</b>', 'vitrine://waiting/').accepted;
  assert.deepEqual(lines, ['caf\ufffd <b>😀</b>']);
});

test('a load is known by its id before the first event of it', async () => {
  await browser.start();
  const socket = peer(({ command, id }) => {
    if (command !== 'load') return undefined;
    send(socket, { event: 'load', state: 'started', load: id, uri: 'http://a/' });
    return { ok: true };
  });
  send(socket, HELLO);
  await until('hello', () => browser.connected);
  const load = browser.load('http://a/');
  await load.accepted;
  assert.deepEqual(events.at(-1), { event: 'load', state: 'started', load: load.id, uri: 'http://a/' });
});

test('what is not of the protocol is left out; a stranger is sent away', async () => {
  await browser.start();
  const stranger = peer();
  let closed = false;
  stranger.on('close', () => {
    closed = true;
  });
  send(stranger, { event: 'load', state: 'started', load: 1, uri: 'x' });
  await until('the stranger to be sent away', () => closed);
  const socket = peer();
  send(socket, HELLO);
  socket.write('garbage\n{}\n[1]\n\n');
  send(socket, { event: 'load', state: 'exploded', load: 1, uri: 'x' });
  send(socket, { event: 'painted', load: 3 });
  await until('the good event', () => events.length === 2);
  assert.deepEqual(events, [
    { event: 'connected', uri: null },
    { event: 'painted', load: 3 },
  ]);
});

test('a newer browser takes the place of the older one', async () => {
  await browser.start();
  const old = peer();
  send(old, HELLO);
  await until('hello', () => browser.connected);
  const waiting = browser.screenshot();
  send(peer(), { ...HELLO, pid: 8 });
  await assert.rejects(waiting, { code: 'disconnected' });
  await until('the newer one', () => browser.pid === 8);
  await until('the end of the older one', () => old.destroyed || old.readableEnded);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['connected', 'disconnected', 'connected'],
  );
  assert.equal(browser.connected, true);
});

test('a browser that goes away fails what is under way; without one calls fail at once', async () => {
  await browser.start();
  await assert.rejects(browser.quit(), { code: 'disconnected' });
  const socket = peer();
  send(socket, HELLO);
  await until('hello', () => browser.connected);
  const call = browser.quit();
  await until('the command', () => socket.bytesRead > 0);
  socket.destroy();
  await assert.rejects(call, { code: 'disconnected' });
  assert.equal(browser.connected, false);
  assert.equal(browser.pid, null);
});

test('a ping that is not answered in time is a miss, a late answer harms nothing', async () => {
  await browser.start();
  let id: unknown;
  const socket = peer((command) => {
    id = command.id;
    return undefined;
  });
  send(socket, HELLO);
  await until('hello', () => browser.connected);
  assert.equal(await browser.ping(10), false);
  await until('the ping', () => id !== undefined);
  send(socket, { id, ok: true });
  send(socket, { event: 'painted', load: 1 });
  await until('what follows', () => events.length === 2);
});

test('finds what pages ask for, and tells them of what there is not', async () => {
  resource = async (uri) => {
    if (uri === 'vitrine://files/broken') throw new Error('the disk is gone');
    const png = (data: Buffer) => ({ contentType: 'image/png', version: uri, read: async () => data });
    if (uri === 'vitrine://files/huge') return png(Buffer.alloc(6_000_000));
    return uri === 'vitrine://files/splash' ? png(Buffer.from('picture')) : undefined;
  };
  await browser.start();
  const answers: Record<string, unknown>[] = [];
  const socket = peer((command) => {
    answers.push(command);
    return { ok: true };
  });
  send(socket, HELLO);
  for (const [i, name] of ['splash', 'none', 'broken', 'huge'].entries()) {
    send(socket, { event: 'resource', request: i + 1, uri: `vitrine://files/${name}` });
  }
  await until('four answers', () => answers.length === 4);
  answers.sort((a, b) => Number(a.request) - Number(b.request));
  assert.deepEqual(
    answers.map(({ id: _, ...fields }) => fields),
    [
      {
        command: 'resource',
        request: 1,
        content_type: 'image/png',
        data: Buffer.from('picture').toString('base64'),
      },
      { command: 'resource', request: 2 },
      { command: 'resource', request: 3 },
      { command: 'resource', request: 4 },
    ],
  );
});
