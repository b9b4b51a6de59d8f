import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { waitFor } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import type { IoEvent } from '../../resources/peripherals/ports.ts';
import { PeripheralProgram } from './io-program.ts';

const WAIT = { timeoutMs: 20_000, intervalMs: 5 };
const HELLO = { event: 'hello', protocol: 1, kind: 'hid', pid: 42 };
const OPEN = { handle: 1, node: '/dev/hidraw0' };

let folder: string;
let path: string;
let log: string[];
let hello: object;
let socket: Socket | undefined;
/** What the program does with a command; it does not answer by itself. */
let take: (command: { id: number; command: string }) => void;
let events: IoEvent[];
let program: PeripheralProgram;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'io-program-'));
  path = join(folder, 'peripheral-hid.sock');
  log = [];
  events = [];
  hello = HELLO;
  socket = undefined;
  take = ({ id }) => say({ id, ok: true });
  program = new PeripheralProgram({
    ...{ kind: 'hid', path, group: 'no-such-group', log: createLogger('silent'), callMs: 500 },
    service: {
      start: async () => {
        log.push('start');
        await startModel();
      },
      stop: async () => {
        log.push('stop');
        socket?.destroy();
      },
    },
  });
  program.listen((event) => events.push(event));
});

afterEach(async () => {
  await program.stop();
  await rm(folder, { recursive: true });
});

async function startModel(): Promise<void> {
  socket = connect(path).on('error', () => undefined);
  await once(socket, 'connect');
  createInterface(socket).on('line', (line) => take(JSON.parse(line)));
  say(hello);
}

/** Sends messages in one piece. */
function say(...messages: object[]): void {
  socket?.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
}

const closedOf = (): number[] => events.flatMap(({ event, handle }) => (event === 'closed' ? [handle] : []));

test('the program starts with the first open, and answers with its fields', async () => {
  await assert.rejects(program.call('close', { handle: 1 }), { name: 'NetworkError' });
  assert.deepEqual(await Promise.all([program.call('open', OPEN), program.start()]), [{}, undefined]);
  take = ({ id }) => say({ id, ok: true, data: 'AQI=' });
  const feature = { handle: 1, report_id: 0, length: 2 };
  assert.deepEqual(await program.call('get_feature', feature), { data: 'AQI=' });
  take = ({ id }) => say({ id, ok: false, name: 'NotAllowedError', message: 'Failed.' });
  await assert.rejects(program.call('get_feature', feature), { name: 'NotAllowedError', message: 'Failed.' });
  take = ({ id }) => say({ id, ok: true, data: 7 });
  await assert.rejects(program.call('get_feature', feature), { name: 'NetworkError' });
  assert.deepEqual(log, ['start']);
});

test('whoever opens hears of it before the events that come with it', async () => {
  take = ({ id }) =>
    say(
      { id, ok: true },
      { event: 'input', handle: 1, report_id: 0, data: '' },
      ...[1, 2].map(() => ({ event: 'closed', handle: 1, reason: 'The HID device was unplugged.' })),
    );
  await program.call('open', OPEN);
  assert.deepEqual(events, []);
  await waitFor(() => events.length > 1, { ...WAIT, what: 'the events' });
  assert.deepEqual(closedOf(), [1]);
});

test('when the program ends, what is open is closed once, and what waits fails', async () => {
  await program.call('open', OPEN);
  await program.call('open', { ...OPEN, handle: 2 });
  await program.call('close', { handle: 2 });
  take = () => socket?.destroy();
  const opening = assert.rejects(program.call('open', { ...OPEN, handle: 3 }), { name: 'NetworkError' });
  await assert.rejects(program.call('write', { handle: 1, report_id: 0, data: '' }), {
    name: 'NetworkError',
  });
  await opening;
  await waitFor(() => events.length > 0, { ...WAIT, what: 'the event' });
  assert.deepEqual(closedOf(), [1]);
  take = ({ id }) => say({ id, ok: true });
  await program.call('open', { ...OPEN, handle: 4 });
  assert.deepEqual(log, ['start', 'start']);
  await program.stop();
  await waitFor(() => events.length > 1, { ...WAIT, what: 'the event' });
  assert.deepEqual(closedOf(), [1, 4]);
  assert.deepEqual(log, ['start', 'start', 'stop']);
});

test('a program that does not answer is ended, but not for a command that takes as long as it likes', async () => {
  await program.call('open', OPEN);
  take = () => undefined;
  const reading = program.call('transfer_in', { handle: 1, endpoint: 1, length: 1 });
  const ended = assert.rejects(reading, { message: 'The program for peripherals has ended.' });
  await assert.rejects(program.call('close', { handle: 1 }), {
    message: 'The peripheral did not answer in time.',
  });
  await ended;
  assert.deepEqual(log, ['start', 'stop']);
});

test('a program that takes so few commands that nothing can be closed is ended', async () => {
  await program.call('open', OPEN);
  take = () => undefined;
  const fields = { handle: 1, endpoint: 1, length: 1 };
  const reads = Array.from({ length: 256 }, () => assert.rejects(program.call('transfer_in', fields)));
  await assert.rejects(program.call('transfer_in', fields), { message: 'Too many operations wait.' });
  assert.deepEqual(log, ['start']);
  await assert.rejects(program.call('close', { handle: 1 }), { message: 'Too many operations wait.' });
  await Promise.all(reads);
  assert.deepEqual(log, ['start', 'stop']);
  await waitFor(() => events.length > 0, { ...WAIT, what: 'the event' });
  assert.deepEqual(closedOf(), [1]);
});

test('a program of another kind, and one that breaks the protocol, is disconnected', async () => {
  hello = { ...HELLO, kind: 'usb' };
  const starting = program.start();
  await waitFor(() => socket?.closed, { ...WAIT, what: 'the end of the connection' });
  hello = HELLO;
  await startModel();
  await starting;
  await program.call('open', OPEN);
  say({ event: 'data', handle: 1 });
  await waitFor(() => events.length > 0, { ...WAIT, what: 'the event' });
  assert.deepEqual(closedOf(), [1]);
});
