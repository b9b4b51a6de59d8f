/** Processes that connect to the agent's end, on a real socket. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { waitFor } from '../../../testing/wait.ts';
import { JsonLinePeer, type PeerLimits, ProtocolViolation } from './json-line-peer.ts';
import { limitedLog } from './limited-log.ts';
import { createLogger } from './logger.ts';
import { PeerError } from './peer-calls.ts';

const LIMITS: PeerLimits = {
  ...{ connections: 3, lineBytes: 1000, greetingMs: 60_000, commandBytes: 2000, calls: 4 },
  unreadBytes: 1_000_000,
  greetings: { perSecond: 100, atOnce: 100 },
  messages: { perSecond: 100, atOnce: 10 },
  bytes: { perSecond: 1_000_000, atOnce: 1_000_000 },
};

interface Fields {
  name?: unknown;
  id?: unknown;
  refusal?: unknown;
  broken?: unknown;
}

let folder: string;
let path: string;
let peer: JsonLinePeer<{ name: string }, object>;
let events: unknown[];
const sockets: Socket[] = [];

/** A reader whose peers give their name first. */
function create(limits: Partial<PeerLimits> = {}): typeof peer {
  events = [];
  return new JsonLinePeer<{ name: string }, object>({
    ...{ path, mode: 0o620, group: 'no-such-group', name: 'reader', limits: { ...LIMITS, ...limits } },
    log: limitedLog(createLogger('silent')),
    protocol: {
      greet({ name }: Fields) {
        if (name === undefined) throw new ProtocolViolation('no name');
        return typeof name === 'string' ? { name } : undefined;
      },
      connected: ({ name }) => events.push(`${name} connected`),
      disconnected: () => events.push('disconnected'),
      take({ name }, message: Fields) {
        if (message.broken !== undefined) throw new ProtocolViolation('broken');
        if (typeof message.id !== 'number') events.push([name, message]);
        else if (message.refusal === undefined) peer.calls.resolve(message.id, message);
        else peer.calls.reject(message.id, new PeerError('refused', 'no'));
        return 1;
      },
    },
  });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-peer-'));
  path = join(folder, 'new/peer.sock');
  peer = create();
  await peer.start();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await peer.stop();
  await rm(folder, { recursive: true });
});

function until(what: string, condition: () => boolean): Promise<unknown> {
  return waitFor(condition, { timeoutMs: 30_000, what, intervalMs: 2 });
}

/** A process that connects and sends these lines. */
function attach(...lines: (object | string)[]): Socket {
  const socket = connect(path).on('error', () => undefined);
  sockets.push(socket);
  for (const line of lines) socket.write(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`);
  return socket.resume();
}

const isClosed = (socket: Socket) => socket.readableEnded || socket.destroyed;

test('has its mode, replaces a stale socket, and no socket that is served', async () => {
  assert.equal((await stat(path)).mode & 0o777, 0o620);
  await assert.rejects(create().start(), /another agent serves/);
  await peer.stop();
  await writeFile(path, 'stale');
  await peer.start();
  assert.ok((await stat(path)).isSocket());
});

test('a call gets its answer, its refusal or its timeout, also out of order', async () => {
  await assert.rejects(peer.call('x', {}, 1000), { code: 'disconnected' });
  const socket = attach({ name: 'a' });
  await until('the peer', () => peer.current?.name === 'a');
  const sent = once(socket, 'data');
  await assert.rejects(peer.call('late', { id: 9, command: 'x' }, 5), { code: 'timeout' });
  const [first] = await sent;
  assert.equal(String(first), '{"id":2,"command":"late"}\n');
  assert.equal(peer.calls.isExpected('late'), false);
  const calls = [peer.call('a', { text: 'x\0\ud800' }, 30_000), peer.call('b', {}, 30_000)];
  assert.equal(peer.calls.isExpected('a') && peer.calls.isWaiting(4), true);
  assert.equal(
    String((await once(socket, 'data'))[0]).split('\n')[0],
    '{"id":3,"command":"a","text":"x\ufffd\ufffd"}',
  );
  socket.write('{"id":2}\n{"id":4,"refusal":1}\n{"id":3,"value":5}\n');
  const [a, b] = await Promise.allSettled(calls);
  assert.deepEqual(a, { status: 'fulfilled', value: { id: 3, value: 5 } });
  assert.equal(b?.status === 'rejected' && b.reason.code, 'refused');
});

test('calls are bounded in number and size', async () => {
  attach({ name: 'a' });
  await until('the peer', () => peer.current !== undefined);
  await assert.rejects(peer.call('x', { data: 'x'.repeat(2000) }, 1000), { code: 'too_large' });
  const calls = Promise.allSettled(Array.from({ length: 4 }, () => peer.call('x', {}, 60_000)));
  await assert.rejects(peer.call('x', {}, 1000), { code: 'busy' });
  await peer.stop();
  assert.ok((await calls).every((call) => call.status === 'rejected' && call.reason.code === 'disconnected'));
});

test('a newer peer replaces the older one', async () => {
  const old = attach({ name: 'old' }, { n: 1 });
  await until('a message', () => events.length === 2);
  attach({ name: 'new' }, { n: 2 });
  await until('the end of the older one', () => isClosed(old) && events.length === 5);
  assert.deepEqual(events, [
    'old connected',
    ['old', { n: 1 }],
    'disconnected',
    'new connected',
    ['new', { n: 2 }],
  ]);
});

test('whoever breaks a rule is disconnected, and another peer may connect', async () => {
  const rules = ['no JSON\n', '[]\n', '\n', 'x'.repeat(1001), { broken: 1 }];
  for (const line of rules) {
    const socket = attach({ name: 'a' }, line);
    await until('the end', () => isClosed(socket) && peer.current === undefined);
  }
  assert.deepEqual(
    events,
    rules.flatMap(() => ['a connected', 'disconnected']),
  );
  for (const first of [{}, { name: 5 }, 'no JSON\n']) {
    const socket = attach(first);
    await until('the end', () => isClosed(socket));
  }
  assert.equal(events.length, 2 * rules.length);
});

test('the oldest silent connection makes room for a peer', async () => {
  const silent: Socket[] = [];
  for (let n = 0; n < 3; n += 1) {
    const socket = attach('{"na');
    await once(socket, 'connect');
    silent.push(socket);
  }
  attach({ name: 'a' });
  await until('the peer', () => peer.current !== undefined);
  await until('the end of the oldest', () => silent.some(isClosed));
  assert.deepEqual(silent.map(isClosed), [true, false, false]);
});

test('a connection that says nothing ends', async () => {
  await peer.stop();
  peer = create({ greetingMs: 50 });
  await peer.start();
  const silent = attach('{"na');
  attach({ name: 'a' });
  await until('the end', () => isClosed(silent));
  assert.equal(peer.current?.name, 'a');
});

test('a peer that sends much is read slower, and nothing is lost', async () => {
  const start = performance.now();
  attach({ name: 'a' }, ...Array.from({ length: 60 }, (_, n) => ({ n })));
  await until('the messages', () => events.length === 61);
  assert.ok(performance.now() - start > 400, 'they came at once');
  assert.deepEqual(
    events.slice(1),
    Array.from({ length: 60 }, (_, n) => ['a', { n }]),
  );
});
