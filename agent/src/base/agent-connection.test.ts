import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { waitFor } from '../../../testing/wait.ts';
import { AgentConnection } from './agent-connection.ts';
import { limitedLog } from './limited-log.ts';
import { createLogger } from './logger.ts';

const WAIT = { timeoutMs: 20_000, intervalMs: 5 };

let folder: string;
let server: Server;
let sockets: Socket[];
let taken: unknown[];
let connection: AgentConnection;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-connection-'));
  sockets = [];
  taken = [];
  server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  const path = join(folder, 'agent.sock');
  server.listen(path);
  await once(server, 'listening');
  connection = new AgentConnection({
    ...{ path, hello: { protocol: 1 }, maxLineBytes: 100_000, maxUnreadBytes: 4_000_000 },
    connected: () => undefined,
    take: (message) => void taken.push(message),
    log: limitedLog(createLogger('silent')),
  });
});

afterEach(async () => {
  connection.stop();
  for (const socket of sockets) socket.destroy();
  server.close();
  await rm(folder, { recursive: true });
});

const accepted = (count: number): Promise<Socket> =>
  waitFor(() => sockets[count - 1], { ...WAIT, what: `connection ${count}` });

test('the hello is the first message, also if there was something to say before', async () => {
  connection.start();
  connection.send({ event: 'readers', readers: [] });
  const lines = createInterface(await accepted(1))[Symbol.asyncIterator]();
  assert.equal(JSON.parse(String((await lines.next()).value)).event, 'hello');
  connection.send({ event: 'tag' });
  assert.equal(JSON.parse(String((await lines.next()).value)).event, 'tag');
});

test('a command that is too long costs the connection, and one that is no JSON does not', async () => {
  connection.start();
  (await accepted(1)).write('{\n{"id":1}\n');
  await waitFor(() => taken.length === 2, { ...WAIT, what: 'two lines' });
  assert.deepEqual(taken, [undefined, { id: 1 }]);
  (await accepted(1)).write('x'.repeat(200_000));
  await accepted(2);
});

test('an agent that reads nothing costs the connection, not the memory', async () => {
  connection.start();
  (await accepted(1)).pause();
  const text = 'x'.repeat(100_000);
  await waitFor(
    () => {
      connection.send({ event: 'tag', text });
      return sockets.length > 1;
    },
    { ...WAIT, what: 'the next connection', intervalMs: 1 },
  );
});
