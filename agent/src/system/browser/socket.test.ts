import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import {
  BrowserStage,
  type Command,
  HELLO,
  send,
  sendInParts,
  until,
} from '../../../../testing/browser-stage.ts';
import { SETTINGS } from '../../../../testing/fake-browser.ts';
import type { BrowserSocket } from './socket.ts';

let stage: BrowserStage;
let browser: BrowserSocket;
beforeEach(async () => {
  stage = await BrowserStage.create();
  ({ browser } = stage);
});
afterEach(() => stage.close());

test('replaces a stale socket, and lets only the kiosk group connect', async () => {
  await writeFile(stage.path, 'stale');
  await browser.start();
  const made = await stat(stage.path);
  assert.ok(made.isSocket());
  assert.equal(made.mode & 0o777, 0o660);
});

test('carries commands and answers, also out of order', async () => {
  await browser.start();
  const commands: Command[] = [];
  const socket = stage.connect((command) => {
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
  const settings = { ...SETTINGS, user_agent: 'X/1', ignore_tls_errors: true, memory_limit_mb: 300 };
  assert.equal(await browser.configure(settings), true, 'a restart is required');
  await assert.rejects(browser.terminatePage(), { code: 'refused', message: 'no page' });
  const shot = commands.find(({ command }) => command === 'screenshot');
  const base64 = Buffer.from('picture').toString('base64');
  sendInParts(socket, { id: shot?.id, ok: true }, 'png', [base64.slice(0, 3), base64.slice(3)]);
  assert.equal(String(await picture), 'picture');
  assert.deepEqual(
    commands.find(({ command }) => command === 'configure'),
    { id: 2, command: 'configure', ...settings },
  );
});

test('an unpaired surrogate and NUL do not reach the browser', async () => {
  await browser.start();
  const lines: unknown[] = [];
  const socket = stage.connect((command) => {
    lines.push(command.html);
    return { ok: true };
  });
  send(socket, HELLO);
  await until('the hello', () => browser.connected);
  await browser.loadHtml('caf\ud83d\0 <b>😀</b>', 'vitrine://waiting/').accepted;
  assert.deepEqual(lines, ['caf\ufffd\ufffd <b>😀</b>']);
});

test('a load has its id before its first event', async () => {
  await browser.start();
  const socket = stage.connect(({ command, id }) => {
    if (command !== 'load') return undefined;
    send(socket, { event: 'load', state: 'started', load: id, uri: 'http://a/' });
    return { ok: true };
  });
  send(socket, HELLO);
  await until('hello', () => browser.connected);
  const load = browser.load('http://a/');
  await load.accepted;
  assert.deepEqual(stage.events.at(-1), { event: 'load', state: 'started', load: load.id, uri: 'http://a/' });
});

test('unknown events are ignored, and logged once a kind', async () => {
  const records: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void records.push(line) });
  const logged = await BrowserStage.create(log);
  await logged.browser.start();
  const socket = await logged.greet();
  for (let i = 0; i < 50; i += 1) send(socket, { event: `news-${i}` });
  for (let i = 0; i < 50; i += 1) send(socket, { event: 'news-0' });
  send(socket, { event: 'painted', load: 3 });
  await until('the good event', () => logged.events.length === 2);
  assert.deepEqual(logged.events, [
    { event: 'connected', uri: null },
    { event: 'painted', load: 3 },
  ]);
  assert.equal(records.filter((record) => record.includes('unknown event')).length, 20);
  await logged.close();
});

test('a browser of another protocol is refused, and logged once', async () => {
  const records: string[] = [];
  const logged = await BrowserStage.create(
    pino({ level: 'info' }, { write: (line: string) => void records.push(line) }),
  );
  await logged.browser.start();
  for (const protocol of [1, 1, 2]) {
    const socket = logged.connect();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    send(socket, { ...HELLO, protocol });
    await closed;
  }
  assert.deepEqual(
    records.map((record) => JSON.parse(record).protocol),
    [1, 2],
  );
  assert.equal(logged.browser.connected, false);
  await logged.close();
});

test('a newer browser replaces the older one', async () => {
  await browser.start();
  const old = stage.connect();
  send(old, HELLO);
  await until('hello', () => browser.connected);
  const waiting = browser.screenshot();
  send(stage.connect(), { ...HELLO, pid: 8 });
  await assert.rejects(waiting, { code: 'disconnected' });
  await until('the newer one', () => browser.pid === 8);
  await until('the end of the older one', () => old.destroyed || old.readableEnded);
  assert.deepEqual(
    stage.events.map(({ event }) => event),
    ['connected', 'disconnected', 'connected'],
  );
  assert.equal(browser.connected, true);
});

test('calls fail when the browser disconnects, and at once without a browser', async () => {
  await browser.start();
  await assert.rejects(browser.quit(), { code: 'disconnected' });
  const socket = stage.connect();
  send(socket, HELLO);
  await until('hello', () => browser.connected);
  const call = browser.quit();
  await until('the command', () => socket.bytesRead > 0);
  socket.destroy();
  await assert.rejects(call, { code: 'disconnected' });
  assert.equal(browser.connected, false);
  assert.equal(browser.pid, null);
});

test('a ping without an answer in time is false, and a late answer is ignored', async () => {
  await browser.start();
  let id: unknown;
  const socket = stage.connect((command) => {
    id = command.id;
    return undefined;
  });
  send(socket, HELLO);
  await until('hello', () => browser.connected);
  assert.equal(await browser.ping(10), false);
  await until('the ping', () => id !== undefined);
  send(socket, { id, ok: true });
  send(socket, { event: 'painted', load: 1 });
  await until('what follows', () => stage.events.length === 2);
});

test('answers the assets that pages fetch, and that there are none', async () => {
  stage.find = (uri) => {
    if (uri === 'vitrine://files/broken') throw new Error('the disk is gone');
    const png = (data: Buffer) => ({ contentType: 'image/png', version: uri, read: async () => data });
    if (uri === 'vitrine://files/huge') return png(Buffer.alloc(6_000_000));
    return uri === 'vitrine://files/splash' ? png(Buffer.from('picture')) : undefined;
  };
  await browser.start();
  const answers: Command[] = [];
  const socket = stage.connect((command) => {
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
