import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { createLogger } from '../../base/logger.ts';
import type { Presence, SerialDevice } from './device.ts';
import { openSerialPort, type SerialPort } from './port.ts';
import { MAX_PENDING_BYTES, type SerialLine } from './pump.ts';

/** A line whose other end is the test. */
class FakeDevice implements SerialDevice {
  readonly staysOpen: boolean;
  readonly sendsWithoutCarrier: boolean;
  here: Presence = 'unknown';
  /** Bytes that fit before the host reads. */
  room = 1024;
  sent = '';
  gone = false;
  closed = false;
  /** Like a line that was hung up: poll() always returns at once. */
  alwaysReady = false;
  notices = 0;
  writes = 0;
  /** Calls of `presence`. */
  looks = 0;
  #input: Buffer[] = [];
  #events = { readable: false, writable: false };
  #onReady: (() => void) | undefined;

  constructor(kind: { staysOpen?: boolean; sendsWithoutCarrier?: boolean } = {}) {
    this.staysOpen = kind.staysOpen ?? false;
    this.sendsWithoutCarrier = kind.sendsWithoutCarrier ?? true;
  }

  async presence(): Promise<Presence> {
    this.looks += 1;
    return this.here;
  }

  read(into: Buffer): number | 'nothing' | 'gone' {
    const next = this.#input.shift();
    if (next) return next.copy(into);
    return this.gone ? 'gone' : 'nothing';
  }

  write(bytes: Buffer): number | 'gone' {
    if (this.gone) return 'gone';
    this.writes += 1;
    const taken = Math.min(bytes.length, this.room);
    this.room -= taken;
    this.sent += bytes.subarray(0, taken).toString();
    return taken;
  }

  watch(events: { readable: boolean; writable: boolean }, onReady: () => void): void {
    this.#events = events;
    this.#onReady = onReady;
    this.settle();
  }

  /** Notifies like the kernel, as long as something is ready. */
  settle(): void {
    setImmediate(() => {
      const { readable, writable } = this.#events;
      const ready = (readable && (this.#input.length > 0 || this.gone)) || (writable && this.room > 0);
      const holds = ready || (this.alwaysReady && (readable || writable));
      const onReady = this.#onReady;
      if (!holds || !onReady) return;
      this.#onReady = undefined;
      this.notices += 1;
      onReady();
    });
  }

  say(text: string): void {
    this.#input.push(Buffer.from(text));
    this.settle();
  }

  hostReads(bytes: number): void {
    this.room += bytes;
    this.settle();
  }

  vanish(): void {
    this.gone = true;
    this.settle();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#onReady = undefined;
  }
}

const ports: SerialPort[] = [];
afterEach(async () => {
  for (const port of ports.splice(0)) await port.close();
});

/** A port on `devices`, opened one after the other, and the calls of its handler. */
function openOn(devices: (FakeDevice | Error)[], stallMs?: number, pollMs?: number) {
  const told: string[] = [];
  const queue = [...devices];
  let session: SerialLine | undefined;
  const waiting: (() => void)[] = [];
  const tell = (what: string) => {
    told.push(what);
    for (const look of waiting) look();
  };
  const port = openSerialPort({
    path: '/dev/fake',
    log: createLogger('silent'),
    ...(stallMs === undefined ? {} : { stallMs }),
    ...(pollMs === undefined ? {} : { pollMs }),
    openDevice: async () => {
      const next = queue.shift() ?? new Error('no such line');
      if (next instanceof Error) throw next;
      return next;
    },
    handler: {
      onOpen: (opened) => {
        session = opened;
        tell(`open ${opened.detectsHost}`);
      },
      onData: (bytes) => tell(`data ${bytes}`),
      onClose: () => tell('close'),
    },
  });
  ports.push(port);
  const until = async (what: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (told.at(-1) === what) resolve();
    };
    waiting.push(look);
    look();
    await promise;
  };
  return { port, session: () => session ?? assert.fail('no session'), told, until };
}

test('a line that cannot detect its host is open at once', async () => {
  const line = new FakeDevice();
  const { port, session, told, until } = openOn([line]);
  await until('open false');
  assert.equal(await session().write('{"type":"hello"}\n'), true);
  line.say('ping\n');
  await until('data ping\n');
  assert.equal(line.sent, '{"type":"hello"}\n');
  await port.close();
  assert.deepEqual(told, ['open false', 'data ping\n', 'close']);
  assert.equal(line.closed, true);
});

test('each rise of the carrier begins a session', async () => {
  const [first, second] = [new FakeDevice(), new FakeDevice()];
  first.here = 'away';
  second.here = 'away';
  const { told, until } = openOn([first, second]);
  first.here = 'here';
  await until('open true');
  first.vanish();
  await until('close');
  second.here = 'here';
  await until('open true');
  assert.deepEqual(told, ['open true', 'close', 'open true']);
  assert.equal(first.closed, true);
  assert.equal(first.sent, '');
});

test('a host that sends without carrier has a session, which ends when the carrier rises', async () => {
  const line = new FakeDevice();
  line.here = 'away';
  const { told, until } = openOn([line]);
  line.say('ping\n');
  await until('data ping\n');
  line.here = 'here';
  await until('open true');
  assert.deepEqual(told, ['open false', 'data ping\n', 'close', 'open true']);
});

test('a host that sends as it raises its carrier has one session, with its input', async () => {
  const line = new FakeDevice();
  line.here = 'away';
  // Polling this seldom would be too late: the input itself must trigger the look.
  const { told, until } = openOn([line], undefined, 600_000);
  while (line.looks === 0) await new Promise(setImmediate);
  line.here = 'here';
  line.say('ping\n');
  await until('data ping\n');
  assert.deepEqual(told, ['open true', 'data ping\n']);
});

test('a line that stays open serves one host after the other without being opened again', async () => {
  const line = new FakeDevice({ staysOpen: true, sendsWithoutCarrier: false });
  line.here = 'here';
  const { told, until } = openOn([line]);
  await until('open true');
  line.here = 'away';
  line.vanish();
  await until('close');
  line.gone = false;
  line.here = 'here';
  await until('open true');
  assert.equal(told.length, 3);
  assert.equal(line.closed, false);
});

test('waiting for a host does not leak', async () => {
  const line = new FakeDevice({ staysOpen: true, sendsWithoutCarrier: false });
  line.here = 'away';
  const { port, until } = openOn([line], undefined, 1);
  const promisesAfter = async (looks: number) => {
    const goal = line.looks + looks;
    while (line.looks < goal) await sleep(1);
    return queryObjects(Promise, { format: 'count' });
  };
  const before = await promisesAfter(20);
  const after = await promisesAfter(400);
  assert.ok(after - before < 40, `${after - before} promises more`);
  line.here = 'here';
  await until('open true');
  await port.close();
});

test('retries a line that cannot be opened', async () => {
  const line = new FakeDevice();
  const { until } = openOn([new Error('ENODEV'), new Error('ENODEV'), line]);
  await until('open false');
});

test('a missing line is opened when it appears, not only at the next look', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-port-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'ttyGS0');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let attempts = 0;
  const { promise: opened, resolve } = Promise.withResolvers<SerialLine>();
  const openDevice = async () => {
    attempts += 1;
    if (!existsSync(path)) throw Object.assign(new Error('no such line'), { code: 'ENOENT' });
    return new FakeDevice();
  };
  const handler = { onOpen: resolve, onData: () => undefined, onClose: () => undefined };
  ports.push(openSerialPort({ path, log: createLogger('silent'), openDevice, handler }));
  while (attempts === 0) await new Promise(setImmediate);
  await new Promise(setImmediate);
  await writeFile(join(folder, 'ttyGS1'), '');
  await writeFile(path, '');
  await opened;
  assert.equal(attempts, 2);
});

test('output waits for space and arrives complete and in order', async () => {
  const line = new FakeDevice();
  line.room = 3;
  const { session, until } = openOn([line]);
  await until('open false');
  const written = Promise.all([session().write('first\n'), session().write('second\n')]);
  assert.equal(session().pendingBytes, 13);
  line.hostReads(4);
  line.hostReads(100);
  assert.deepEqual(await written, [true, true]);
  assert.equal(line.sent, 'first\nsecond\n');
  assert.equal(session().pendingBytes, 0);
});

test('short lines of one turn are written together, long ones without copying', async () => {
  const line = new FakeDevice();
  line.room = Number.POSITIVE_INFINITY;
  const { session, until } = openOn([line]);
  await until('open false');
  const lines = [
    ...Array.from({ length: 100 }, (_, index) => `${index}\n`),
    'x'.repeat(100_000),
    '\n',
    'end\n',
  ];
  assert.ok((await Promise.all(lines.map((text) => session().write(text)))).every((sent) => sent));
  assert.equal(line.sent, lines.join(''));
  assert.ok(line.writes <= 6, `${line.writes} writes`);
});

test('pending output is bounded', async () => {
  const line = new FakeDevice();
  line.room = 0;
  const { session, until } = openOn([line]);
  await until('open false');
  const first = session().write(Buffer.alloc(MAX_PENDING_BYTES));
  assert.equal(await session().write('x'), false);
  line.vanish();
  assert.equal(await first, false);
});

test('the session of a host that does not read ends; it is still read, and greeted when it reads again', async () => {
  const line = new FakeDevice();
  line.room = 5;
  const { session, told, until } = openOn([line], 20);
  await until('open false');
  assert.equal(await session().write('0123456789\n'), false);
  assert.deepEqual(told, ['open false', 'close']);
  line.say('still here\n');
  await until('data still here\n');
  assert.equal(await session().write('dropped\n'), false);
  line.hostReads(100);
  await until('open false');
  assert.equal(await session().write('hello\n'), true);
  assert.equal(line.sent, '01234\nhello\n');
  assert.deepEqual(told, ['open false', 'close', 'open false', 'data still here\n', 'close', 'open false']);
});

test('after a partial line the next session starts on a new line', async () => {
  const [first, second] = [new FakeDevice(), new FakeDevice()];
  first.room = 4;
  const { session, until } = openOn([first, second]);
  await until('open false');
  const cut = session().write('{"id":1}\n');
  while (first.room > 0) await new Promise(setImmediate);
  first.vanish();
  assert.equal(await cut, false);
  await until('open false');
  await session().write('hello\n');
  assert.equal(second.sent, '\nhello\n');
});

test('a paused port does not read', async () => {
  const line = new FakeDevice();
  const { session, told, until } = openOn([line]);
  await until('open false');
  session().pause();
  line.say('later\n');
  assert.equal(await session().write('sent meanwhile\n'), true);
  assert.deepEqual(told, ['open false']);
  session().resume();
  await until('data later\n');
});

test('notifications without effect do not keep the port busy', async () => {
  const line = new FakeDevice();
  line.room = 0;
  line.alwaysReady = true;
  const { session, until } = openOn([line]);
  await until('open false');
  const pending = session().write('x');
  await sleep(120);
  assert.ok(line.notices > 0 && line.notices < 10, `${line.notices} notices in 120 ms`);
  line.hostReads(1);
  assert.equal(await pending, true);
});

test('a paused session ends when the host does not read, and its input is read again', async () => {
  const line = new FakeDevice();
  line.room = 4;
  const { session, told, until } = openOn([line], 40);
  await until('open false');
  const answer = session().write('unread\n');
  session().pause();
  line.say('held back\n');
  assert.equal(await answer, false);
  await until('close');
  assert.deepEqual(told, ['open false', 'close']);
  session().resume();
  await until('data held back\n');
});
