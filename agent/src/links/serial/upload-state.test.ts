/** Whatever host, handlers and timers do in whatever order, the state machine of uploads keeps its promises. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../ci/lib/long-runs.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import {
  CHUNK_OVERHEAD_BYTES,
  MAX_CHUNK_BYTES,
  MAX_IGNORED_IDS,
  MAX_UPLOADS,
  NO_UPLOADS,
  PAUSE_BYTES,
  queuedBytes,
  RESUME_BYTES,
  type UploadEffect,
  type UploadEvent,
  uploadStep,
} from './upload-state.ts';

const RUNS = repetitions(1000, 50_000);
const IDS = ['1', '"1"', '2', '3', '4', '5'];
const MAX_BYTES = 6 * MAX_CHUNK_BYTES;
/** Chunks that have been read already when the line is paused. */
const READ_AHEAD = 4;

/** What the test knows of one request: what the host sent, what came out of the state machine. */
interface Request {
  id: string;
  limited: boolean;
  sent: Buffer[];
  isComplete: boolean;
  /** Chunks that were delivered to the reader. */
  delivered: Buffer[];
  isEnded: boolean;
  isDestroyed: boolean;
  readerWaits: boolean;
  timer: 'running' | 'expired' | 'stopped';
  /** Error codes from the link, and `app` for the app's answer. */
  answers: (ErrorCode | 'app')[];
  isAppDone: boolean;
  isFailed: boolean;
}

/** Applies events and carries out effects; checks after each that nothing contradicts what was sent. */
class World {
  state = NO_UPLOADS;
  readonly requests: Request[] = [];
  /** Errors that belong to no upload, by id. */
  strays: string[] = [];
  isPaused = false;
  /** Chunks that arrived although the line was paused. */
  sincePause = 0;
  hostLeft = false;

  apply(event: UploadEvent): readonly UploadEffect[] {
    const frozen = structuredClone({ ...this.state, uploads: [...this.state.uploads.keys()] });
    const before = this.state;
    const { state, effects } = uploadStep(this.state, event);
    assert.deepEqual(
      { ...before, uploads: [...before.uploads.keys()] },
      frozen,
      'the old state is unchanged',
    );
    this.state = state;
    for (const effect of effects) this.#run(effect, event);
    this.#check();
    return effects;
  }

  #run(effect: UploadEffect, event: UploadEvent): void {
    switch (effect.type) {
      case 'create': {
        assert.ok(event.type === 'begin');
        assert.equal(effect.key, this.requests.length);
        this.requests.push({
          id: event.id,
          limited: event.maxBytes !== undefined,
          sent: [],
          isComplete: false,
          delivered: [],
          isEnded: false,
          isDestroyed: false,
          readerWaits: false,
          timer: 'stopped',
          answers: [],
          isAppDone: false,
          isFailed: false,
        });
        return;
      }
      case 'deliver': {
        const request = this.#of(effect.key);
        assert.ok(request.readerWaits, 'delivered to a reader that did not ask');
        assert.ok(!request.isEnded && !request.isDestroyed, 'delivered after the end');
        request.readerWaits = false;
        if (effect.bytes) {
          assert.deepEqual(effect.bytes, request.sent[request.delivered.length], 'delivered in order');
          request.delivered.push(effect.bytes);
        } else {
          assert.ok(
            request.isComplete && request.delivered.length === request.sent.length,
            'the end comes last',
          );
          request.isEnded = true;
        }
        return;
      }
      case 'destroy': {
        const request = this.#of(effect.key);
        assert.ok(!request.isDestroyed);
        request.isDestroyed = true;
        request.isFailed = effect.error !== undefined;
        return;
      }
      case 'startTimer':
        this.#of(effect.key).timer = 'running';
        return;
      case 'stopTimer':
        assert.notEqual(this.#of(effect.key).timer, 'stopped');
        this.#of(effect.key).timer = 'stopped';
        return;
      case 'reject': {
        const request =
          this.receiving(effect.id) ??
          this.requests.find((one) => one.id === effect.id && one.isFailed && one.answers.length === 0);
        if (request) request.answers.push(effect.error.code);
        else this.strays.push(`${effect.id} ${effect.error.code}`);
        return;
      }
      case 'respond':
        this.#of(effect.key).answers.push('app');
        return;
      case 'pauseLine':
        assert.ok(!this.isPaused && !this.hostLeft && this.queued > PAUSE_BYTES);
        this.isPaused = true;
        return;
      case 'resumeLine':
        assert.ok(this.isPaused && (this.hostLeft || this.queued < RESUME_BYTES));
        this.isPaused = false;
        this.sincePause = 0;
    }
  }

  #of(key: number): Request {
    return this.requests[key] ?? assert.fail(`an effect for the unknown upload ${key}`);
  }

  /** The upload that takes chunks with this id. */
  receiving(id: string): Request | undefined {
    return this.requests.find((one) => one.id === id && !one.isComplete && !one.isFailed && !one.isAppDone);
  }

  get canSend(): boolean {
    return !this.hostLeft && this.sincePause < READ_AHEAD;
  }

  /** What the queued chunks of all uploads take in memory. */
  get queued(): number {
    const live = this.requests.filter(({ isDestroyed }) => !isDestroyed);
    return live
      .flatMap(({ sent, delivered }) => sent.slice(delivered.length))
      .reduce((sum, { length }) => sum + length + CHUNK_OVERHEAD_BYTES, 0);
  }

  #check(): void {
    let open = 0;
    for (const request of this.requests) {
      const { sent, delivered, isComplete, isDestroyed, isFailed, isAppDone } = request;
      const isOpen = !isComplete && !isFailed && !isAppDone;
      if (isOpen) open += 1;
      assert.equal(request.timer, isOpen ? 'running' : 'stopped', 'it runs while chunks are expected');
      assert.equal(isDestroyed, isFailed || isAppDone, 'a body is destroyed at the end, and only then');
      const isWaiting = !isDestroyed && request.readerWaits;
      if (isWaiting)
        assert.ok(delivered.length === sent.length && !isComplete, 'nothing is kept from a reader');
      if (isFailed) assert.ok(!request.answers.includes('app'));
      const expected = this.hostLeft && isFailed ? request.answers.length : isFailed || isAppDone ? 1 : 0;
      assert.equal(request.answers.length, expected, 'one answer for one request');
    }
    assert.ok(open <= MAX_UPLOADS);
    assert.ok(this.state.ignoredIds.length <= MAX_IGNORED_IDS);
    assert.equal(new Set(this.state.ignoredIds).size, this.state.ignoredIds.length);
    const { queued } = this;
    assert.equal(queuedBytes(this.state), queued);
    // With hysteresis: between the limits it stays as it was.
    if (this.hostLeft) assert.equal(this.isPaused, false);
    else if (queued > PAUSE_BYTES) assert.equal(this.isPaused, true);
    else if (queued < RESUME_BYTES) assert.equal(this.isPaused, false);
    assert.ok(queued <= PAUSE_BYTES + (1 + READ_AHEAD) * (MAX_CHUNK_BYTES + CHUNK_OVERHEAD_BYTES));
    assert.equal(this.state.linePaused, this.isPaused);
    const known = this.requests.filter(({ isAppDone }) => !isAppDone).length;
    assert.equal(this.state.uploads.size, known, 'an upload is forgotten when it has been answered');
  }
}

function frame(seq: unknown, bytes: Buffer, last: boolean): Record<string, unknown> {
  return { seq, last, data_b64: bytes.toString('base64') };
}

/** How a chunk is wrong, and the code it is answered with. */
const WRONG: readonly [(frame: Record<string, unknown>) => Record<string, unknown>, ErrorCode][] = [
  [(good) => ({ ...good, seq: Number(good.seq) + 1 }), 'bad_request'],
  [(good) => ({ ...good, seq: Number(good.seq) - 1 }), 'bad_request'],
  [(good) => ({ ...good, seq: String(good.seq) }), 'bad_request'],
  [(good) => ({ ...good, last: 1 }), 'bad_request'],
  [({ last: _, ...good }) => good, 'bad_request'],
  [(good) => ({ ...good, data_b64: 'a-b_' }), 'bad_request'],
  [(good) => ({ ...good, data_b64: [] }), 'bad_request'],
  [
    (good) => ({ ...good, data_b64: Buffer.alloc(MAX_CHUNK_BYTES + 1).toString('base64') }),
    'payload_too_large',
  ],
];

type Command = fc.Command<object, World>;

function command(name: string, check: (world: World) => boolean, run: (world: World) => void): Command {
  return {
    check: (_model) => true,
    run: (_model, world) => void (check(world) && run(world)),
    toString: () => name,
  };
}

/** The request of an upload. */
function begin(id: string, limited: boolean): Command {
  return command(
    `begin ${id}`,
    ({ hostLeft }) => !hostLeft,
    (world) => {
      const earlier = world.receiving(id);
      world.apply({ type: 'request', id });
      if (earlier) assert.deepEqual(earlier.answers, ['bad_request'], 'the unfinished upload is answered');
      const isFull = IDS.filter((one) => world.receiving(one)).length === MAX_UPLOADS;
      const [strays, count] = [world.strays.length, world.requests.length];
      world.apply({ type: 'begin', id, maxBytes: limited ? MAX_BYTES : undefined });
      assert.deepEqual(world.strays.slice(strays), isFull ? [`${id} too_many_requests`] : []);
      assert.equal(world.state.ignoredIds.includes(id), isFull);
      assert.equal(world.requests.length, count + (isFull ? 0 : 1));
    },
  );
}

/** Any other request, which may take the id of an upload. */
function other(id: string, announcesChunks: boolean): Command {
  return command(
    `request ${id}`,
    ({ hostLeft }) => !hostLeft,
    (world) => {
      const earlier = world.receiving(id);
      world.apply({ type: 'request', id });
      if (earlier) assert.deepEqual(earlier.answers, ['bad_request']);
      assert.equal(world.state.ignoredIds.includes(id), false);
      if (announcesChunks) world.apply({ type: 'ignore', id });
    },
  );
}

/** A chunk as the host would send it next, or a wrong one. */
function chunk(id: string, size: number, last: boolean, wrong: number | undefined): Command {
  const name = `chunk ${id} of ${size}${last ? ', last' : ''}${wrong === undefined ? '' : `, wrong ${wrong}`}`;
  return command(
    name,
    (world) => world.canSend,
    (world) => {
      if (world.isPaused) world.sincePause += 1;
      const request = world.receiving(id);
      const seq = request ? (seqs.get(request) ?? 0) : 0;
      const good = frame(seq, Buffer.alloc(size, seq % 251), last);
      const [spoil, code] = wrong === undefined ? [] : (WRONG[wrong] ?? []);
      const sent = spoil ? spoil(good) : good;
      if (!request) {
        const wasIgnored = world.state.ignoredIds.includes(id);
        const strays = world.strays.length;
        world.apply({ type: 'chunk', id, frame: sent });
        assert.equal(world.strays.length - strays, wasIgnored ? 0 : 1);
        assert.equal(world.state.ignoredIds.includes(id), sent.last !== true);
        return;
      }
      const total = request.sent.reduce((sum, { length }) => sum + length, size);
      const isTooLong = request.limited && total > MAX_BYTES;
      const expected = code ?? (isTooLong ? 'payload_too_large' : undefined);
      if (!expected) {
        seqs.set(request, seq + 1);
        if (size > 0) request.sent.push(Buffer.alloc(size, seq % 251));
        request.isComplete = last;
      }
      world.apply({ type: 'chunk', id, frame: sent });
      assert.deepEqual(request.answers, expected ? [expected] : []);
      if (expected) assert.equal(world.state.ignoredIds.includes(id), sent.last !== true);
    },
  );
}

/** Of each upload, the number that its next chunk has. */
const seqs = new WeakMap<Request, number>();

function pick(world: World, index: number): { key: number; request: Request } {
  const key = index % Math.max(world.requests.length, 1);
  return { key, request: world.requests[key] ?? assert.fail() };
}

const some = (world: World) => world.requests.length > 0;

function read(index: number): Command {
  return command(`read ${index}`, some, (world) => {
    const { key, request } = pick(world, index);
    // A stream asks once, also when its upload has just ended.
    if (request.readerWaits || request.isEnded) return;
    request.readerWaits = true;
    world.apply({ type: 'read', key });
  });
}

/** Many full chunks, as of a host that is quicker than the handler. */
function burst(id: string, count: number): Command {
  const full = chunk(id, MAX_CHUNK_BYTES, false, undefined);
  return command(
    `${count} chunks ${id}`,
    (world) => world.receiving(id) !== undefined,
    (world) => {
      for (let sent = 0; sent < count && !world.isPaused && world.receiving(id); sent += 1)
        full.run({}, world);
    },
  );
}

function reads(index: number, count: number): Command {
  return command(`${count} reads ${index}`, some, (world) => {
    for (let done = 0; done < count; done += 1) read(index).run({}, world);
  });
}

function answer(index: number): Command {
  return command(`answer ${index}`, some, (world) => {
    const { key, request } = pick(world, index);
    if (request.isAppDone) return;
    const wasOpen = world.receiving(request.id) === request;
    request.isAppDone = true;
    world.apply({ type: 'answered', key });
    if (wasOpen && !world.hostLeft) assert.ok(world.state.ignoredIds.includes(request.id));
  });
}

function timeout(index: number, linePaused: boolean): Command {
  return command(`timeout ${index}${linePaused ? ', paused' : ''}`, some, (world) => {
    const { key, request } = pick(world, index);
    if (request.timer === 'stopped') {
      // A timer may have fired just before it was stopped.
      assert.deepEqual(world.apply({ type: 'timeout', key, linePaused }), []);
      return;
    }
    request.timer = 'expired';
    world.apply({ type: 'timeout', key, linePaused });
    assert.deepEqual(request.answers, linePaused ? [] : ['bad_request']);
    assert.equal(world.state.ignoredIds.includes(request.id), !linePaused);
  });
}

const hostLeaves = command(
  'host leaves',
  ({ hostLeft }) => !hostLeft,
  (world) => {
    world.hostLeft = true;
    world.apply({ type: 'hostLeft' });
    assert.deepEqual(world.state.ignoredIds, []);
    assert.ok(
      world.requests.every(({ isComplete, isFailed, isAppDone }) => isComplete || isFailed || isAppDone),
    );
  },
);

/** Reads until nothing more comes. */
function readAll(world: World): void {
  for (const [index, request] of world.requests.entries()) {
    while (!request.isDestroyed && !request.isEnded && !request.readerWaits) read(index).run({}, world);
  }
}

/** Complete uploads of which nothing has been read, as many as fit. */
function fill(world: World): void {
  for (const id of IDS) {
    if (world.isPaused) return;
    begin(id, false).run({}, world);
    burst(id, 80).run({}, world);
    if (world.canSend) chunk(id, 5, true, undefined).run({}, world);
  }
}

/** Everything ends: no trace is left, and every id can be used again. */
function settle(world: World): void {
  readAll(world);
  assert.equal(world.isPaused, false, 'the line is paused for no reason');
  for (const id of world.hostLeft ? [] : IDS) {
    // The last chunk of what is on its way.
    if (world.receiving(id) || world.state.ignoredIds.includes(id))
      chunk(id, 5, true, undefined).run({}, world);
    assert.equal(world.state.ignoredIds.includes(id), false);
  }
  readAll(world);
  for (const [index, request] of world.requests.entries()) {
    if (!request.isDestroyed) assert.ok(request.isEnded);
    answer(index).run({}, world);
  }
  assert.equal(world.state.uploads.size, 0);
  assert.equal(world.isPaused, false);
  if (world.hostLeft) return;
  for (const id of IDS) {
    begin(id, false).run({}, world);
    chunk(id, 100, true, undefined).run({}, world);
    const index = world.requests.length - 1;
    read(index).run({}, world);
    read(index).run({}, world);
    assert.ok(world.requests[index]?.isEnded);
    answer(index).run({}, world);
    assert.deepEqual(world.requests[index]?.answers, ['app']);
  }
}

const id = fc.constantFrom(...IDS);
const index = fc.nat(7);
const size = fc.oneof(fc.constantFrom(0, 1, MAX_CHUNK_BYTES - 1, MAX_CHUNK_BYTES), fc.nat(MAX_CHUNK_BYTES));
const isLast = fc.integer({ min: 0, max: 9 }).map((one) => one === 0);
const commands = [
  fc.tuple(id, fc.boolean()).map((args) => begin(...args)),
  fc.tuple(id, fc.boolean()).map((args) => begin(...args)),
  fc.tuple(id, fc.boolean()).map((args) => other(...args)),
  fc.tuple(id, size, isLast).map((args) => chunk(...args, undefined)),
  fc.tuple(id, size, isLast).map((args) => chunk(...args, undefined)),
  fc.tuple(id, size, isLast).map((args) => chunk(...args, undefined)),
  fc.tuple(id, size, fc.boolean(), fc.nat(WRONG.length - 1)).map((args) => chunk(...args)),
  index.map(read),
  index.map(read),
  fc.tuple(id, fc.integer({ min: 10, max: 80 })).map((args) => burst(...args)),
  fc.tuple(index, fc.nat(80)).map((args) => reads(...args)),
  index.map(answer),
  fc.tuple(index, fc.boolean()).map((args) => timeout(...args)),
];

test(`${RUNS} sequences of events`, { timeout: 600_000 }, (t) => {
  let events = 0;
  const sequences = fc.tuple(fc.commands(commands, { maxCommands: 60, size: 'max' }), fc.boolean());
  fc.assert(
    fc.property(sequences, ([sequence, leaves]) => {
      const world = new World();
      fc.modelRun(() => ({ model: {}, real: world }), sequence);
      if (leaves) {
        fill(world);
        hostLeaves.run({}, world);
      }
      settle(world);
      events += [...sequence].length;
    }),
    { numRuns: RUNS },
  );
  t.diagnostic(`${RUNS} sequences, ${events} commands`);
});

test('the ids whose chunks are ignored are bounded: the oldest is answered again', () => {
  const world = new World();
  const ids = Array.from({ length: MAX_IGNORED_IDS + 1 }, (_, index) => `${index}`);
  for (const id of ids) world.apply({ type: 'ignore', id });
  assert.deepEqual(world.state.ignoredIds, ids.slice(1));
  world.apply({ type: 'chunk', id: '0', frame: frame(0, Buffer.alloc(1), true) });
  assert.deepEqual(world.strays, ['0 bad_request']);
});
