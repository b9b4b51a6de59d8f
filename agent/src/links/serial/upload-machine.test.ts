/** Whatever host, handlers and timers do in whatever order, the state machine of uploads keeps its promises. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import {
  MAX_CHUNK_BYTES,
  MAX_IGNORED_IDS,
  MAX_UPLOADS,
  NO_UPLOADS,
  type UploadEffect,
  type UploadEvent,
  uploadMachine,
} from './upload-machine.ts';

const RUNS = repetitions(1000, 50_000);
const IDS = ['1', '"1"', '2', '3', '4', '5'];
const MAX_BYTES = 6 * MAX_CHUNK_BYTES;

/** What the test knows of one request: what the host sent, what came out of the state machine. */
interface Request {
  id: string;
  limited: boolean;
  sent: Buffer[];
  isComplete: boolean;
  /** Chunks that were added to the body. */
  pushed: Buffer[];
  isEnded: boolean;
  isDestroyed: boolean;
  /** Error codes from the link, and `app` for the app's answer. */
  answers: (string | 'app')[];
  isAppDone: boolean;
  isFailed: boolean;
}

/** Applies events and carries out effects; checks after each that nothing contradicts what was sent. */
class World {
  state = NO_UPLOADS;
  readonly requests: Request[] = [];
  /** Errors that belong to no upload, by id. */
  strays: string[] = [];
  hostLeft = false;

  apply(event: UploadEvent): readonly UploadEffect[] {
    const frozen = structuredClone(this.state);
    const before = this.state;
    const { state, effects } = uploadMachine(this.state, event);
    assert.deepEqual(before, frozen, 'the old state is unchanged');
    this.state = state;
    for (const effect of effects) this.#run(effect, event);
    this.#check();
    return effects;
  }

  #run(effect: UploadEffect, event: UploadEvent): void {
    switch (effect.do) {
      case 'create': {
        assert.ok(event.event === 'begin');
        assert.equal(effect.key, this.requests.length);
        this.requests.push({
          id: event.id,
          limited: event.maxBytes !== undefined,
          sent: [],
          isComplete: false,
          pushed: [],
          isEnded: false,
          isDestroyed: false,
          answers: [],
          isAppDone: false,
          isFailed: false,
        });
        return;
      }
      case 'push': {
        const request = this.#of(effect.key);
        assert.ok(!request.isEnded && !request.isDestroyed, 'added after the end');
        assert.deepEqual(effect.bytes, request.sent[request.pushed.length], 'added in order');
        request.pushed.push(effect.bytes);
        request.isEnded = effect.last;
        return;
      }
      case 'destroy': {
        const request = this.#of(effect.key);
        assert.ok(!request.isDestroyed);
        request.isDestroyed = true;
        request.isFailed = effect.error !== undefined;
        return;
      }
      case 'reject': {
        const request =
          this.receiving(effect.id) ??
          this.requests.find((one) => one.id === effect.id && one.isFailed && one.answers.length === 0);
        if (request) request.answers.push(effect.error.code);
        else this.strays.push(`${effect.id} ${effect.error.code}`);
      }
    }
  }

  #of(key: number): Request {
    return this.requests[key] ?? assert.fail(`an effect for the unknown upload ${key}`);
  }

  /** The upload that takes chunks with this id. */
  receiving(id: string): Request | undefined {
    return this.requests.find((one) => one.id === id && !one.isComplete && !one.isFailed && !one.isAppDone);
  }

  /** Whether a further upload would be refused. */
  get isFull(): boolean {
    return this.requests.filter(({ isFailed, isAppDone }) => !isFailed && !isAppDone).length >= MAX_UPLOADS;
  }

  #check(): void {
    let open = 0;
    for (const request of this.requests) {
      const { sent, pushed, isComplete, isEnded, isDestroyed, isFailed, isAppDone } = request;
      if (!isFailed && !isAppDone) open += 1;
      assert.equal(isDestroyed, isFailed || isAppDone, 'a body is destroyed at the end, and only then');
      assert.equal(pushed.length, sent.length, 'every chunk is added at once');
      assert.equal(isEnded, isComplete);
      if (isFailed) assert.ok(!request.answers.includes('app'));
      const expected = this.hostLeft && isFailed ? request.answers.length : isFailed || isAppDone ? 1 : 0;
      assert.equal(request.answers.length, expected, 'one answer for one request');
    }
    assert.ok(open <= MAX_UPLOADS);
    assert.ok(this.state.ignoredIds.length <= MAX_IGNORED_IDS);
    assert.equal(new Set(this.state.ignoredIds).size, this.state.ignoredIds.length);
    const known = this.requests.filter(({ isAppDone }) => !isAppDone).length;
    assert.equal(this.state.uploads.size, known, 'an upload is forgotten when it has been answered');
  }
}

function frame(seq: unknown, bytes: Buffer, last: boolean): Record<string, unknown> {
  return { seq, last, data_b64: bytes.toString('base64') };
}

/** How a chunk is wrong, and the code it is answered with. */
const WRONG: readonly [(frame: Record<string, unknown>) => Record<string, unknown>, string][] = [
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
      world.apply({ event: 'request', id, announcesChunks: true });
      if (earlier) assert.deepEqual(earlier.answers, ['bad_request'], 'the unfinished upload is answered');
      const { isFull } = world;
      const [strays, count] = [world.strays.length, world.requests.length];
      world.apply({ event: 'begin', id, maxBytes: limited ? MAX_BYTES : undefined });
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
      world.apply({ event: 'request', id, announcesChunks });
      if (earlier) assert.deepEqual(earlier.answers, ['bad_request']);
      assert.equal(world.state.ignoredIds.includes(id), announcesChunks);
    },
  );
}

/** A chunk as the host would send it next, or a wrong one. */
function chunk(id: string, size: number, last: boolean, wrong: number | undefined): Command {
  const name = `chunk ${id} of ${size}${last ? ', last' : ''}${wrong === undefined ? '' : `, wrong ${wrong}`}`;
  return command(
    name,
    ({ hostLeft }) => !hostLeft,
    (world) => {
      const request = world.receiving(id);
      const seq = request?.sent.length ?? 0;
      const bytes = Buffer.alloc(size, seq % 251);
      const good = frame(seq, bytes, last);
      const [spoil, code] = wrong === undefined ? [] : (WRONG[wrong] ?? []);
      const sent = spoil ? spoil(good) : good;
      if (!request) {
        const wasIgnored = world.state.ignoredIds.includes(id);
        const strays = world.strays.length;
        world.apply({ event: 'chunk', id, frame: sent });
        assert.equal(world.strays.length - strays, wasIgnored ? 0 : 1);
        assert.equal(world.state.ignoredIds.includes(id), sent.last !== true);
        return;
      }
      const total = request.sent.reduce((sum, { length }) => sum + length, size);
      const isTooLong = request.limited && total > MAX_BYTES;
      const expected = code ?? (isTooLong ? 'payload_too_large' : undefined);
      if (!expected) {
        request.sent.push(bytes);
        request.isComplete = last;
      }
      world.apply({ event: 'chunk', id, frame: sent });
      assert.deepEqual(request.answers, expected ? [expected] : []);
      if (expected) assert.equal(world.state.ignoredIds.includes(id), sent.last !== true);
    },
  );
}

function pick(world: World, index: number): { key: number; request: Request } {
  const key = index % Math.max(world.requests.length, 1);
  return { key, request: world.requests[key] ?? assert.fail() };
}

const some = (world: World) => world.requests.length > 0;

function answer(index: number): Command {
  return command(`answer ${index}`, some, (world) => {
    const { key, request } = pick(world, index);
    if (request.isAppDone) return;
    const wasOpen = world.receiving(request.id) === request;
    request.isAppDone = true;
    if (!request.isFailed) request.answers.push('app');
    world.apply({ event: 'answered', key });
    if (wasOpen && !world.hostLeft) assert.ok(world.state.ignoredIds.includes(request.id));
  });
}

function timeout(index: number): Command {
  return command(`timeout ${index}`, some, (world) => {
    const { key, request } = pick(world, index);
    if (world.receiving(request.id) !== request) {
      // A timer may have fired just before it was stopped.
      assert.deepEqual(world.apply({ event: 'timeout', key }), []);
      return;
    }
    world.apply({ event: 'timeout', key });
    assert.deepEqual(request.answers, ['bad_request']);
    assert.ok(world.state.ignoredIds.includes(request.id));
  });
}

const hostLeaves = command(
  'host leaves',
  ({ hostLeft }) => !hostLeft,
  (world) => {
    world.hostLeft = true;
    world.apply({ event: 'host_left' });
    assert.deepEqual(world.state.ignoredIds, []);
    assert.ok(
      world.requests.every(({ isComplete, isFailed, isAppDone }) => isComplete || isFailed || isAppDone),
    );
  },
);

/** Everything ends: no trace is left, and every id can be used again. */
function settle(world: World): void {
  for (const id of world.hostLeft ? [] : IDS) {
    // The last chunk of what is on its way.
    if (world.receiving(id) || world.state.ignoredIds.includes(id))
      chunk(id, 5, true, undefined).run({}, world);
    assert.equal(world.state.ignoredIds.includes(id), false);
  }
  for (const [index, request] of world.requests.entries()) {
    if (!request.isDestroyed) assert.ok(request.isEnded);
    answer(index).run({}, world);
  }
  assert.equal(world.state.uploads.size, 0);
  if (world.hostLeft) return;
  for (const id of IDS) {
    begin(id, false).run({}, world);
    chunk(id, 100, true, undefined).run({}, world);
    const index = world.requests.length - 1;
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
  index.map(answer),
  index.map(timeout),
];

test(`${RUNS} sequences of events`, { timeout: 600_000 }, (t) => {
  let events = 0;
  const sequences = fc.tuple(fc.commands(commands, { maxCommands: 60, size: 'max' }), fc.boolean());
  fc.assert(
    fc.property(sequences, ([sequence, leaves]) => {
      const world = new World();
      fc.modelRun(() => ({ model: {}, real: world }), sequence);
      if (leaves) hostLeaves.run({}, world);
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
  for (const id of ids) world.apply({ event: 'request', id, announcesChunks: true });
  assert.deepEqual(world.state.ignoredIds, ids.slice(1));
  world.apply({ event: 'chunk', id: '0', frame: frame(0, Buffer.alloc(1), true) });
  assert.deepEqual(world.strays, ['0 bad_request']);
});
