/**
 * The real agent, and a hostile process in place of the browser: whatever it sends, the agent goes on answering with
 * bounded memory and file descriptors, and a browser gets the connection.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { HELLO, KINDS } from '../../../../testing/browser-stage.ts';
import { repetitions } from '../../../../testing/long-runs.ts';
import { type RunningAgent, startAgent } from '../../../../testing/running-agent.ts';
import { within } from '../../../../testing/wait.ts';

/** Of one attack; the bytes are fewer where the agent reads slowly. */
const ATTACK_MS = repetitions(600, 5000);
const ATTACK_BYTES = 32 * 1024 * 1024;
/** More than the agent had before the attacks. */
const MORE_MEMORY = 256 * 1024 * 1024;
const MORE_FILES = 24;
/** Of an answer, on a busy computer. */
const ANSWER_MS = 5000;

let agent: RunningAgent;
let memory: number;
let files: number;

const memoryOf = () =>
  1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${agent.pid}/status`, 'utf8'))?.[1]);
const filesOf = () => readdirSync(`/proc/${agent.pid}/fd`).length;

before(async () => {
  agent = await startAgent({ isQuiet: true });
  await answers();
  memory = memoryOf();
  files = filesOf();
});
after(() => agent.stop());

async function answers(): Promise<void> {
  const answer = await within(fetch(`${agent.api}/display`), ANSWER_MS, 'an answer of the agent');
  assert.equal(answer.status, 200);
  await answer.text();
}

function open(): Socket {
  return connect(join(agent.folder, 'run/browser.sock')).on('error', () => undefined);
}

const line = (message: unknown) => `${JSON.stringify(message)}\n`;
const hello = line(HELLO);

/** A host that wants everything and reads nothing. */
async function slowHost(): Promise<WebSocket> {
  const host = new WebSocket(`${agent.api.replace('http', 'ws')}/events`);
  await once(host, 'open');
  host.send(
    JSON.stringify({
      type: 'subscribe',
      topics: ['page_message', 'page_channel', 'page_console', 'display_state'],
    }),
  );
  await once(host, 'message');
  host.pause();
  return host;
}

/** As a browser that does what it is told. */
function obey(socket: Socket): void {
  socket.on('data', (bytes) => {
    for (const [, id] of String(bytes).matchAll(/^{"id":(\d+)/gm)) {
      if (socket.writable) socket.write(line({ id: Number(id), ok: true, restart_required: false }));
    }
  });
}

/** Writes again and again, on a new connection whenever the agent closes one, while the agent is observed. */
async function attack(first: string, next: (n: number) => string): Promise<void> {
  const end = performance.now() + ATTACK_MS;
  const isOver = () => performance.now() >= end;
  const host = await slowHost();
  const most = { memory: 0, files: 0 };
  const sampler = setInterval(() => {
    most.memory = Math.max(most.memory, memoryOf());
    most.files = Math.max(most.files, filesOf());
  }, 5);
  const write = async () => {
    let n = 0;
    for (let sent = 0; sent < ATTACK_BYTES && !isOver(); ) {
      const socket = open();
      obey(socket);
      let drained = Promise.withResolvers<void>();
      for (const event of ['drain', 'close']) socket.on(event, () => drained.resolve());
      socket.write(first);
      // The page is shown once the settings are taken.
      if (first !== '') await Promise.race([once(socket, 'data').catch(() => undefined), sleep(50)]);
      while (!socket.destroyed && sent < ATTACK_BYTES && !isOver()) {
        let batch = '';
        while (batch.length < 256 * 1024) batch += next(n++);
        sent += batch.length;
        drained = Promise.withResolvers();
        if (socket.write(batch)) await setImmediate();
        else await Promise.race([drained.promise, sleep(100)]);
      }
      socket.destroy();
    }
  };
  try {
    await write();
    await answers();
  } finally {
    clearInterval(sampler);
    host.terminate();
  }
  assert.ok(most.memory < memory + MORE_MEMORY, `${Math.round(most.memory / 2 ** 20)} MiB`);
  assert.ok(most.files < files + MORE_FILES, `${most.files} file descriptors`);
}

const load = (state: string, n: number) => ({ event: 'load', state, load: 0, uri: `http://a/${n}` });
const opened = { event: 'channel', kind: 'page', channel: 1, open: true, origin: 'http://a' };
const withDevices = { ...opened, kind: 'devices' };
const said = { event: 'message', channel: 1, origin: 'http://a', data: JSON.stringify('x'.repeat(100_000)) };

const ATTACKS: readonly [string, string, (n: number) => string][] = [
  ['ends of the page', hello, () => line({ event: 'page_gone', reason: 'crashed' })],
  [
    'loads and ends',
    hello,
    (n) => line(n % 2 === 0 ? load('committed', n) : { event: 'page_gone', reason: 'memory' }),
  ],
  [
    'long addresses',
    hello,
    (n) => line({ ...load('committed', n), uri: `http://${n}${'a'.repeat(16_000)}` }),
  ],
  ['messages without credits', hello + line(opened), () => line(said)],
  ['small messages', hello + line(opened), () => line({ ...said, data: '1' })],
  ['messages about devices without credits', hello + line(withDevices), () => line(said)],
  ['messages that are no JSON', hello + line(opened), () => line({ ...said, data: '{' })],
  ['empty parts', hello, (n) => line({ body: 1, part: n, data: '' })],
  ['tiny parts', hello, (n) => line({ body: 1, part: n, data: 'x' })],
  ['parts without an end', hello, (n) => line({ body: 1, part: n, data: 'x'.repeat(65_536) })],
  ['parts before the hello', '', (n) => line({ body: 1, part: n, data: 'x'.repeat(65_536) })],
  [
    'texts that end at once',
    hello,
    (n) =>
      line(
        n % 2 ? { id: 0, ok: true, field: 'png', body: n - 1, parts: 1 } : { body: n, part: 0, data: 'x' },
      ),
  ],
  ['unknown events', hello, (n) => line({ event: `news-${n}` })],
  ['refusals', hello, (n) => line({ event: 'blocked', what: 'window', detail: `${n}` })],
  [
    'resources',
    hello,
    (n) => line({ event: 'resource', request: n, uri: 'vitrine://client/display-client.js' }),
  ],
  [
    'messages of the console',
    hello,
    (n) =>
      line({ event: 'console', level: 'log', text: 'x'.repeat(16_000), source: null, line: 1, left_out: n }),
  ],
  ['channels', hello, (n) => line({ ...opened, channel: 1 + n, open: n % 2 === 0 })],
  [
    'channels of both kinds',
    hello,
    (n) => line({ ...(n % 2 === 0 ? opened : withDevices), channel: 1 + n, open: n % 4 < 2 }),
  ],
  [
    'answers to all commands',
    hello,
    (n) => line({ id: n % 50, ok: false, code: 'busy', message: 'x'.repeat(1000) }),
  ],
  ['hellos', hello, () => hello],
  ['hellos on new connections', hello, () => '\n'],
  ['garbage', hello, () => '\u0000\u00ff{]garbage\n'],
  ['deep lines', hello, () => `${'['.repeat(500_000)}\n`],
  ['a line without an end', hello, () => 'x'.repeat(65_536)],
  ['a hello without an end', '', () => '{"event":"hello",'],
];

for (const [what, first, next] of ATTACKS) {
  test(`an attack with ${what}`, () => attack(first, next));
}

test('random messages, and random answers to commands', { timeout: 10 * 60_000 }, async () => {
  const small = fc.nat({ max: 4 });
  const text = fc.oneof(fc.string(), fc.constantFrom('http://a/', '{}', '1', '"x"'));
  const members = {
    event: fc.constantFrom(...KINDS, 'moved', 'pac_failed', 'blocked', 'resource', 'hello', 'x'),
    state: fc.constantFrom('started', 'redirected', 'committed', 'finished'),
    reason: fc.constantFrom('crashed', 'memory', 'terminated'),
    kind: fc.constantFrom('network', 'tls', 'policy', 'cancelled', 'page', 'devices'),
    ...{ load: small, channel: small, request: small, id: small, body: small, part: small, parts: small },
    ...{
      uri: text,
      origin: text,
      message: text,
      data: text,
      png: text,
      value: text,
      exception: text,
      what: text,
      detail: text,
    },
    ...{ open: fc.boolean(), ok: fc.boolean(), restart_required: fc.boolean() },
    field: fc.constantFrom('png', 'value', 'exception', 'data'),
  };
  const whole = fc.record(members);
  const event = whole.map(({ id: _, part: _part, parts: _parts, ...rest }) => rest);
  const message = fc.oneof(
    { weight: 6, arbitrary: event },
    { weight: 1, arbitrary: fc.record(members, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
  const answer = fc.record(
    { ok: members.ok, value: text, png: text, message: text },
    { requiredKeys: ['ok'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 60 }),
      fc.array(answer, { minLength: 1 }),
      async (messages, replies) => {
        const socket = open();
        let count = 0;
        socket.on('data', (bytes) => {
          for (const [, id] of String(bytes).matchAll(/^{"id":(\d+)/gm)) {
            socket.write(line({ id: Number(id), ...replies[count++ % replies.length] }));
          }
        });
        const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
        socket.write(hello + messages.map(line).join(''));
        await Promise.race([closed, sleep(20)]);
        socket.destroy();
        await answers();
        assert.ok(memoryOf() < memory + MORE_MEMORY && filesOf() < files + MORE_FILES);
      },
    ),
    { numRuns: repetitions(50, 500) },
  );
});

test('then a browser connects at once, while others connect and say nothing', async () => {
  const others = Array.from({ length: 200 }, open);
  const eight = Array.from({ length: 8 }, open);
  await Promise.all(eight.map((each) => new Promise((resolve) => each.once('connect', resolve))));
  const start = performance.now();
  const browser = open();
  const command = new Promise((resolve) => browser.once('data', (bytes) => resolve(String(bytes))));
  browser.write(hello);
  assert.match(String(await within(command, ANSWER_MS, 'a command')), /"command":"(?:configure|keyboard)"/);
  const took = performance.now() - start;
  assert.ok(took < 1000, `${took} ms`);
  others.push(browser);
  assert.ok(filesOf() < files + MORE_FILES);
  for (const socket of [...others, ...eight]) socket.destroy();
});
