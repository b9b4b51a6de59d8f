import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../contract/errors.ts';
import { bundleInvalid } from '../resources/content/schema.ts';
import { receive, receiveToMemory, type UploadSink } from './receive.ts';

const hasCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

/** Keeps what it gets; `take` may delay or refuse it. */
class TestSink implements UploadSink {
  readonly chunks: Uint8Array[] = [];
  hasEnded = false;
  readonly #take: () => Promise<void>;

  constructor(take: () => Promise<void> = async () => undefined) {
    this.#take = take;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#take();
    this.chunks.push(bytes);
  }

  async end(): Promise<void> {
    this.hasEnded = true;
  }
}

/** A body that sends these chunks and then waits. */
function unfinished(...chunks: string[]): Readable {
  const body = new Readable({ read: () => undefined });
  for (const chunk of chunks) body.push(chunk);
  return body;
}

test('gives the bytes in order, their number and their SHA-256, and the progress', async () => {
  const sink = new TestSink();
  const fractions: number[] = [];
  const progress = (fraction: number) => fractions.push(fraction);
  const body = Readable.from(['ab', 'cd', 'efgh'].map((text) => Buffer.from(text)));
  const received = await receive(body, sink, { announced: 8, progress });
  const sha256 = createHash('sha256').update('abcdefgh').digest('hex');
  assert.deepEqual(received, { size: 8, sha256 });
  assert.equal(Buffer.concat(sink.chunks).toString(), 'abcdefgh');
  assert.ok(sink.hasEnded);
  assert.deepEqual(fractions, [0.25, 0.5, 1]);
});

test('the progress of a body of unknown length rises and stays below 1', async () => {
  const fractions: number[] = [];
  const body = Readable.from([1, 4, 64].map((mib) => Buffer.alloc(mib * 1024 * 1024)));
  await receive(body, new TestSink(), { progress: (fraction) => fractions.push(fraction) });
  const [first = 0, second = 0, third = 0] = fractions;
  assert.ok(0 < first && first < second && second < third && third < 1, fractions.join(' '));
});

const REFUSALS: readonly [
  string,
  (body: Readable, sink: UploadSink, signal: AbortSignal) => Promise<unknown>,
  string,
][] = [
  ['allowed', (body) => receiveToMemory(body, 4), 'payload_too_large'],
  ['announced', (body, sink, signal) => receive(body, sink, { announced: 4, signal }), 'bad_request'],
];

for (const [limit, start, code] of REFUSALS) {
  test(`a body with more bytes than ${limit} is refused at once, without destroying it`, async () => {
    const body = unfinished('abc', 'de');
    const sink = new TestSink();
    const { signal } = new AbortController();
    const listeners = body.eventNames();
    await assert.rejects(start(body, sink, signal), hasCode(code));
    assert.equal(body.destroyed, false);
    assert.deepEqual(body.eventNames(), listeners);
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
    assert.equal(sink.hasEnded, false);
    // The link can read on to reach the next request.
    let rest = '';
    body.on('data', (bytes) => {
      rest += bytes;
    });
    body.resume();
    body.push('the rest');
    while (rest !== 'the rest') await nextTurn();
    assert.ok(sink.chunks.length <= 1);
  });
}

test('a body with fewer bytes than announced, or that breaks off, is a bad request', async () => {
  const sink = new TestSink();
  const short = receive(Readable.from([Buffer.from('abc')]), sink, { announced: 4 });
  await assert.rejects(short, hasCode('bad_request'));
  const body = unfinished('begin');
  const receiving = receive(body, sink);
  body.destroy(new Error('aborted'));
  await assert.rejects(receiving, hasCode('bad_request'));
  const silent = unfinished('begin');
  const closing = receive(silent, sink);
  silent.destroy();
  await assert.rejects(closing, hasCode('bad_request'));
  assert.equal(sink.hasEnded, false);
});

test('inspects the first bytes, however they are cut, and refuses before the rest arrives', async () => {
  const starts: string[] = [];
  const inspectStart = {
    bytes: 4,
    inspect: (start: Buffer) => {
      starts.push(start.toString());
      if (start.includes('X')) throw new ApiError(bundleInvalid);
    },
  };
  const good = Readable.from(['a', 'bc', 'def', 'gX'].map((text) => Buffer.from(text)));
  await receive(good, new TestSink(), { inspectStart });
  assert.deepEqual(starts, ['a', 'abc', 'abcd']);
  const sink = new TestSink();
  await assert.rejects(receive(unfinished('a', 'X'), sink, { inspectStart }), hasCode('bundle_invalid'));
  assert.equal(Buffer.concat(sink.chunks).toString(), 'a');
});

test('a slow sink gets one chunk at a time and pauses the body', async () => {
  let produced = 0;
  const body = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      produced += 1;
      this.push(Buffer.alloc(16 * 1024));
    },
  });
  let pending = 0;
  const { promise: blocked, resolve } = Promise.withResolvers<void>();
  const sink = new TestSink(async () => {
    pending += 1;
    assert.equal(pending, 1);
    await blocked;
    pending -= 1;
  });
  const stop = new AbortController();
  const receiving = receive(body, sink, { signal: stop.signal });
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  assert.ok(produced < 12, `${produced} chunks were read ahead`);
  stop.abort(new Error('stopped'));
  resolve();
  await assert.rejects(receiving, /stopped/);
  body.destroy();
});

test('a signal stops it while nothing arrives, once the sink has finished its write', async () => {
  const reason = new ApiError('unavailable', 'cancelled');
  const stop = new AbortController();
  const { promise: blocked, resolve } = Promise.withResolvers<void>();
  const body = unfinished('abc');
  let hasStopped = false;
  const receiving = receive(body, new TestSink(() => blocked), { signal: stop.signal }).finally(() => {
    hasStopped = true;
  });
  receiving.catch(() => undefined);
  await nextTurn();
  stop.abort(reason);
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  assert.equal(hasStopped, false);
  resolve();
  await assert.rejects(receiving, reason);
  assert.equal(body.destroyed, false);
  await assert.rejects(receive(body, new TestSink(), { signal: stop.signal }), reason);
});

test('a failing sink ends it with its error', async () => {
  const full = new ApiError('insufficient_storage');
  const failing = new TestSink(() => Promise.reject(full));
  await assert.rejects(receive(unfinished('abc'), failing), full);
  const endless: UploadSink = { write: async () => undefined, end: () => Promise.reject(full) };
  await assert.rejects(receive(Readable.from([Buffer.from('a')]), endless), full);
});

/** A server that answers with what `answer` makes of the request's body, and its port. */
async function serverOf(t: TestContext, answer: (body: Readable) => Promise<string>): Promise<number> {
  const server = createServer((incoming, response) => {
    answer(incoming).then((result) => response.end(result));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  return address.port;
}

test('chunks of HTTP requests are freed when the sink has taken them, those of others are kept', async (t) => {
  const port = await serverOf(t, async (body) => {
    const sink = new TestSink();
    await receive(body, sink);
    return String(sink.chunks.every(({ byteLength }) => byteLength === 0));
  });
  const call = request({ port, host: '127.0.0.1', method: 'PUT' });
  call.end(Buffer.alloc(1024 * 1024, 1));
  const [answer] = await once(call, 'response');
  assert.equal(await text(answer), 'true');
  const own = Buffer.from(new Uint8Array([1, 2, 3]).buffer);
  await receive(Readable.from([own]), new TestSink());
  assert.equal(own.length, 3);
});

test('HTTP chunks that share memory are all received', async (t) => {
  const port = await serverOf(t, async (body) => (await receiveToMemory(body, 100)).toString());
  const socket = connect(port, '127.0.0.1');
  const head = 'PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
  socket.write(`${head}3\r\nabc\r\n3\r\ndef\r\n3\r\nghi\r\n0\r\n\r\n`);
  assert.match(await text(socket), /abcdefghi/);
});

test('a body in memory is whole, also of exactly the limit; one byte more is refused', async () => {
  const body = () => Readable.from([Buffer.from('ab'), Buffer.from('cd')]);
  assert.equal((await receiveToMemory(body(), 4)).toString(), 'abcd');
  await assert.rejects(receiveToMemory(body(), 3), hasCode('payload_too_large'));
});

test('a body that drips is ended; a slow sink is not the fault of the body', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const pass = async (ms: number) => {
    now += ms;
    t.mock.timers.tick(5000);
    await nextTurn();
  };
  const body = new Readable({ read: () => undefined });
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  const sink = new TestSink(() => (isHeld ? held.promise : Promise.resolve()));
  let end: unknown;
  receive(body, sink).catch((error: unknown) => {
    end = error;
  });
  const send = async (bytes: number) => {
    body.push(Buffer.alloc(bytes));
    await nextTurn();
  };
  // As slow as it may be, for an hour.
  for (let minute = 0; minute < 60; minute += 1) {
    await send(64 * 1024);
    await pass(59_000);
  }
  assert.equal(end, undefined);
  await send(64 * 1024);
  isHeld = true;
  await send(1000);
  await pass(3_600_000);
  assert.equal(end, undefined, 'while the sink is slow');
  held.resolve();
  await nextTurn();
  // A byte now and then.
  for (let seconds = 0; seconds < 60; seconds += 10) {
    await send(1);
    await pass(10_000);
  }
  assert.equal(end, undefined);
  await pass(10_000);
  assert.ok(hasCode('bad_request')(end), String(end));
  assert.match(String(end), /too slowly/);
});
