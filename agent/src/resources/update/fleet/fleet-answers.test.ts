/** Whatever a server answers, at every step: each exchange ends in time, and the client goes on. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { FleetStage, until } from '../../../../../testing/fleet-stage.ts';
import { HawkbitServer } from '../../../../../testing/hawkbit-server.ts';
import { exchange } from './http-exchange.ts';

const LIMIT_MS = 200;
/** A slow computer needs longer than the limit, but an exchange without one does not end at all, in ms. */
const SOON_MS = 15_000;
/** Bad answers before the server answers as it should. */
const BAD_ANSWERS = 2;

type Raw = (socket: Socket) => void;
const text = (bytes: string) => (socket: Socket) => void socket.write(bytes);
const ending = (bytes: string) => (socket: Socket) => void socket.end(bytes);
const ok = (headers: string, body = '') => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`;
/** Writes a piece every few milliseconds until the client has enough. */
const dripping = (start: string, piece: string) => (socket: Socket) => {
  socket.write(start);
  const timer = setInterval(() => socket.write(piece), 10);
  socket.on('close', () => clearInterval(timer));
};
const reset: Raw = (socket) => void socket.resetAndDestroy();
const resetAfter = (bytes: string) => (socket: Socket) => void socket.write(bytes, () => reset(socket));
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\n';

const ANSWERS: Readonly<Record<string, Raw>> = {
  '101 with an upgrade': text(`${SWITCH}connection: upgrade\r\nupgrade: websocket\r\n\r\n`),
  '101 with an upgrade, and the end': ending(`${SWITCH}connection: upgrade\r\nupgrade: h2c\r\n\r\n`),
  '101 without an upgrade': text(`${SWITCH}\r\n`),
  '101 and bytes of another protocol': text(`${SWITCH}connection: upgrade\r\nupgrade: x\r\n\r\n\0\x01\x02`),
  '200 with an upgrade': ending(ok('connection: upgrade\r\nupgrade: websocket\r\ncontent-length: 0')),
  '100 and nothing else': text('HTTP/1.1 100 Continue\r\n\r\n'),
  '102 and the end': ending('HTTP/1.1 102 Processing\r\n\r\n'),
  '103 again and again': dripping('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  'many 103 at once': text('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000)),
  '199 and the end': ending('HTTP/1.1 199 Odd\r\n\r\n'),
  'status 000': ending('HTTP/1.1 000 None\r\ncontent-length: 0\r\n\r\n'),
  'status 999': ending('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'),
  nothing: () => undefined,
  'the end': (socket) => void socket.end(),
  'a reset': reset,
  'half a status line': text('HTTP/1.1 2'),
  'half of the headers': text('HTTP/1.1 200 OK\r\ncontent-le'),
  'half of the headers and the end': ending('HTTP/1.1 200 OK\r\ncontent-le'),
  'half of the headers and a reset': resetAfter('HTTP/1.1 200 OK\r\ncontent-le'),
  'half of the body': text(ok('content-length: 100', '{"config":')),
  'half of the body and the end': ending(ok('content-length: 100', '{"config":')),
  'half of the body and a reset': resetAfter(ok('content-length: 100', '{"config":')),
  'half of the chunks and the end': ending(ok('transfer-encoding: chunked', '5\r\n{"con')),
  'a chunk without a size': ending(ok('transfer-encoding: chunked', 'x\r\n{}')),
  'a body that does not end': text(ok('connection: keep-alive', '{')),
  'a content-length that is too short': ending(ok('content-length: 1', '{}')),
  'two lengths': ending(ok('content-length: 2\r\ncontent-length: 3', '{}')),
  'a negative length': ending(ok('content-length: -1', '{}')),
  'a length and chunks': ending(ok('content-length: 2\r\ntransfer-encoding: chunked', '{}')),
  'slow headers': dripping('HTTP/1.1 200 OK\r\n', 'a: b\r\n'),
  'a slow body': dripping(ok('transfer-encoding: chunked'), '1\r\n \r\n'),
  'too many headers': text(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}`),
  'a header of 100 kB': text(`HTTP/1.1 200 OK\r\na: ${'b'.repeat(100_000)}`),
  'a body of 2 MiB': text(ok(`content-length: ${2 ** 21}`, ' '.repeat(2 ** 21))),
  'no HTTP': ending('SSH-2.0-OpenSSH_9.2\r\n'),
  'HTTP/0.9': ending('<html></html>'),
  'a TLS alert': ending('\x15\x03\x01\x00\x02\x02\x28'),
  'zero bytes': ending('\0'.repeat(1000)),
  'another encoding': ending(ok('content-encoding: gzip\r\ncontent-length: 2', '\x1f\x8b')),
};

test('an exchange ends within its limit, whatever the server answers', async (t) => {
  for (const [what, raw] of Object.entries(ANSWERS)) {
    const url = await serve(t, raw);
    for (const headersOnly of [false, true]) {
      const signal = new AbortController().signal;
      const ended = exchange({ method: 'GET', url, headers: {}, timeoutMs: LIMIT_MS, signal, headersOnly });
      let settled = false;
      ended
        .catch(() => undefined)
        .finally(() => {
          settled = true;
        });
      await soon(what, () => settled);
    }
  }
});

test('an exchange ends when it is no longer wanted', async (t) => {
  for (const what of ['nothing', '100 and nothing else', 'half of the body', 'slow headers']) {
    const url = await serve(t, ANSWERS[what] ?? reset);
    const wanted = new AbortController();
    const options = { method: 'GET', url, headers: {}, timeoutMs: 600_000, signal: wanted.signal } as const;
    const ended = assert.rejects(exchange(options), { name: 'AbortError' }, what);
    setTimeout(() => wanted.abort(), 20);
    await ended;
    await assert.rejects(exchange(options), { name: 'AbortError' }, 'nothing is begun any more');
  }
});

/** The part of a round that is answered badly. @param path below the device's */
interface Step {
  isAnswered: (path: string, stage: FleetStage) => boolean;
  cancels?: boolean;
}

const STEPS: Readonly<Record<string, Step>> = {
  poll: { isAnswered: (path) => path === '' },
  attributes: { isAnswered: (path) => path === '/configData' },
  deployment: { isAnswered: (path) => /^\/deploymentBase\/\w+$/.test(path) },
  bundle: { isAnswered: (path) => path.includes('/artifacts/') },
  progress: { isAnswered: (path, { updater }) => isFeedback(path) && updater.applied.length === 0 },
  result: { isAnswered: (path, { updater }) => isFeedback(path) && updater.applied.length > 0 },
  cancel: { isAnswered: (path) => /^\/cancelAction\/\w+$/.test(path), cancels: true },
  'cancel reply': { isAnswered: (path) => path.startsWith('/cancelAction/'), cancels: true },
};

const isFeedback = (path: string) => /^\/deploymentBase\/\w+\/feedback$/.test(path);

for (const [name, step] of Object.entries(STEPS)) {
  test(`the client goes on after every answer to its step "${name}"`, async (t) => {
    const answers = Object.entries(ANSWERS);
    // Some at a time: most of them wait for the limit of an exchange.
    for (let from = 0; from < answers.length; from += 14) {
      const some = answers.slice(from, from + 14);
      await Promise.all(some.map(([what, raw]) => goesOn(t, `${name}: ${what}`, step, raw)));
    }
  });
}

async function goesOn(t: TestContext, what: string, step: Step, raw: Raw): Promise<void> {
  const server = await HawkbitServer.start(t);
  server.bundle = Buffer.alloc(1000, 7);
  const stage = new FleetStage(t, server.url, { token: 'its-token', requestTimeoutMs: LIMIT_MS });
  let answers = 0;
  server.override = (path) => {
    if (answers === BAD_ANSWERS || !step.isAnswered(path, stage)) return undefined;
    answers += 1;
    return { raw };
  };
  const action = server.offer(step.cancels ? { download: 'skip' } : {});
  await stage.start();
  if (step.cancels) {
    await soon(`${what}: the offer`, () => stage.client.status().action?.phase === 'waiting');
    action.state = 'canceling';
    await soon(`${what}: the cancellation`, () => action.state === 'canceled');
  } else {
    await soon(`${what}: the reboot`, () => stage.updater.applied.length === 1);
    stage.updater.endTrial('success');
    await soon(`${what}: the result`, () => action.state === 'finished');
  }
  assert.equal(answers, BAD_ANSWERS, what);
  const polls = () => server.received.filter(({ path }) => path.endsWith('/device-1')).length;
  const before = polls();
  await soon(`${what}: further polls`, () => polls() > before + 2);
  await soon(`${what}: no error`, () => stage.client.status().error === null);
  stage.client.stop();
}

/** A server on TCP that answers the first bytes of a connection. */
async function serve(t: TestContext, raw: Raw): Promise<URL> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => raw(socket));
  });
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server on TCP that listens has an address of this type.
  const { port } = server.address() as AddressInfo;
  return new URL(`http://127.0.0.1:${port}/`);
}

function soon(what: string, condition: () => boolean): Promise<boolean> {
  return until(what, condition, SOON_MS);
}
