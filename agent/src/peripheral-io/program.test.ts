import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { waitFor } from '../../../testing/wait.ts';
import { limitedLog } from '../base/limited-log.ts';
import { createLogger } from '../base/logger.ts';
import { unwatched } from '../base/watch.ts';
import type { Driver, DriverOptions } from './driver.ts';
import { CommandError } from './errors.ts';
import { Program } from './program.ts';

const WAIT = { timeoutMs: 20_000, intervalMs: 5 };

let folder: string;
let server: Server;
let sockets: Socket[];
let messages: Record<string, unknown>[];
let emit: DriverOptions['emit'];
let closing: PromiseWithResolvers<void>;
let closes: number;
let executed: string[];
let program: Program;

const driver: Driver = {
  execute: async (command) => {
    executed.push(command);
    if (command === 'fail') throw new CommandError('NotFoundError', 'It is not there.');
    if (command === 'break') throw new Error('unexpected');
    return { data: command };
  },
  closeAll: () => {
    closes += 1;
    return closing.promise;
  },
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'peripheral-io-'));
  sockets = [];
  messages = [];
  executed = [];
  closes = 0;
  closing = Promise.withResolvers();
  server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    createInterface(socket).on('line', (line) => messages.push(JSON.parse(line)));
  });
  const socket = join(folder, 'hid.sock');
  server.listen(socket);
  await once(server, 'listening');
  const log = limitedLog(createLogger('silent'));
  program = new Program({ kind: 'hid', socket, watch: unwatched, log }, (options) => {
    emit = options.emit;
    return driver;
  });
  program.start();
  await waitFor(() => messages.length === 1, { ...WAIT, what: 'the hello' });
});

afterEach(async () => {
  closing.resolve();
  await program.stop();
  for (const socket of sockets) socket.destroy();
  server.close();
  await rm(folder, { recursive: true });
});

const received = (count: number): Promise<boolean> =>
  waitFor(() => messages.length >= count, { ...WAIT, what: `${count} messages` });

test('commands are answered, with the name of the error', async () => {
  assert.deepEqual(messages[0], { event: 'hello', protocol: 1, kind: 'hid', pid: process.pid });
  sockets[0]?.write('{"id":1,"command":"x"}\n[]\n{"id":2,"command":"fail"}\n{"id":3,"command":"break"}\n');
  await received(4);
  assert.deepEqual(messages.slice(1), [
    { data: 'x', id: 1, ok: true },
    { id: 2, ok: false, name: 'NotFoundError', message: 'It is not there.' },
    { id: 3, ok: false, name: 'NetworkError', message: 'unexpected' },
  ]);
});

test('when the agent is gone, everything is closed before the next agent is served', async () => {
  sockets[0]?.destroy();
  await waitFor(() => closes === 1, { ...WAIT, what: 'closing' });
  await received(2);
  sockets[1]?.write('{"id":1,"command":"x"}\n');
  emit({ event: 'closed', handle: 1, reason: 'test' });
  await received(3);
  assert.deepEqual(executed, []);
  closing.resolve();
  await received(4);
  assert.deepEqual(messages[3], { data: 'x', id: 1, ok: true });
});

test('an agent that reads slowly loses the oldest input reports, and nothing else', async () => {
  const report = Buffer.alloc(1500).toString('base64');
  sockets[0]?.pause();
  for (let report_id = 0; report_id < 4000; report_id += 1) {
    emit({ event: 'input', handle: report_id, report_id: 1, data: report });
  }
  emit({ event: 'closed', handle: 5000, reason: 'test' });
  sockets[0]?.resume();
  const last = await waitFor(() => messages.find(({ handle }) => handle === 3999), {
    ...WAIT,
    what: 'the newest',
  });
  assert.equal(last.event, 'input');
  const inputs = messages.filter(({ event }) => event === 'input').map(({ handle }) => Number(handle));
  assert.ok(inputs.length > 256 && inputs.length < 3000, `${inputs.length} reports`);
  assert.deepEqual(
    inputs,
    inputs.toSorted((a, b) => a - b),
  );
  assert.deepEqual(
    inputs.slice(-256),
    Array.from({ length: 256 }, (_, at) => 3744 + at),
  );
  assert.equal(messages.filter(({ event }) => event === 'closed').length, 1);
});
