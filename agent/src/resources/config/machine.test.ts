/** Every order of patches, failures and repeated applications that a random client and a random disk produce. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import { ApiError } from '../../contract/errors.ts';
import {
  type Event,
  initialState,
  MAX_WAITING,
  type Message,
  next,
  type PatchResult,
  type Request,
  type State,
  type Work,
} from './machine.ts';
import { type JsonObject, mergePatch } from './tree.ts';

/** The next event: a request arrives, or the current work succeeds or fails. */
const action = fc.constantFrom('patch', 'patch', 'reapply', 'succeed', 'succeed', 'succeed', 'fail');

/** Runs the machine on a disk that keeps one key for each patch, and checks every step. */
class World {
  /** On the disk. */
  stored: JsonObject = {};
  /** In effect. */
  applied = this.stored;
  state: State = initialState({ document: this.stored, config: this.stored });
  /** The accepted requests in their order, and the answered ones. */
  readonly accepted: Request[] = [];
  readonly answered: Request[] = [];
  busy = 0;
  published: JsonObject[] = [];
  #patches = 0;

  act(what: 'patch' | 'reapply' | 'succeed' | 'fail'): void {
    if (what === 'patch' || what === 'reapply') {
      const reply = Promise.withResolvers<PatchResult>();
      const refusals = this.busy;
      this.#patches += 1;
      const request: Request =
        what === 'patch'
          ? { reply, kind: 'patch', patch: { [`a${this.#patches}`]: this.#patches } }
          : { reply, kind: 'reapply', path: 'a.b' };
      this.handle({ type: 'requested', request });
      if (this.busy === refusals) this.accepted.push(request);
    } else if (this.state.work) this.handle(this.#outcome(this.state.work, what === 'succeed'));
  }

  handle(event: Event): void {
    const { work } = this.state;
    const { state, messages } = next(this.state, event);
    this.state = state;
    for (const message of messages) this.#observe(message);
    assert.ok(state.requests.length <= MAX_WAITING);
    assert.equal(state.current.document, this.stored, 'the current version is on the disk');
    assert.equal(state.requests.length > 0, state.work !== undefined, 'a request is always being worked on');
    if (event.type !== 'requested')
      assert.notEqual(state.work ?? 'none', work, 'finished work is not repeated');
    else if (work) assert.equal(state.work, work, 'work is not interrupted');
  }

  #observe(message: Message): void {
    switch (message.type) {
      case 'publish':
        assert.equal(message.change.config, this.stored, 'only stored values are published');
        assert.equal(this.applied, this.stored, 'and after they were applied');
        assert.deepEqual([...message.change.leaves], [['a.b', 'live']]);
        this.published.push(message.change.config);
        return;
      case 'answer':
        if (message.request.kind === 'patch') {
          assert.equal(this.published.at(-1), message.change.config, 'published before the answer');
        }
        assert.equal(message.change.config, this.stored);
        this.answered.push(message.request);
        return;
      case 'reject':
        if (message.error instanceof ApiError) {
          assert.equal(message.error.code, 'too_many_requests');
          assert.equal(this.state.requests.length, MAX_WAITING);
          this.busy += 1;
        } else {
          assert.match(String(message.error), /refused|no room/);
          this.answered.push(message.request);
        }
    }
  }

  /** Does the work, or fails to, and returns the event. */
  #outcome(work: Work, succeeds: boolean): Event {
    switch (work.type) {
      case 'check': {
        if (!succeeds) return { type: 'failed', error: new Error('refused') };
        const document = mergePatch(work.current.document, work.patch);
        const leaves = new Map([['a.b', 'live' as const]]);
        return { type: 'checked', change: { document, config: document, leaves } };
      }
      case 'write':
        if (!succeeds) return { type: 'failed', error: new Error('no room') };
        this.stored = work.change.document;
        return { type: 'written' };
      case 'apply':
        assert.equal(work.before, this.applied);
        assert.equal(work.again, this.state.requests[0]?.kind === 'reapply');
        assert.deepEqual([...work.change.leaves], [['a.b', 'live']]);
        this.applied = work.change.config;
        return { type: 'applied' };
    }
  }

  /** Lets all work succeed. */
  settle(): void {
    while (this.state.work) this.act('succeed');
  }
}

test('requests are answered once, in their order, and a patch is stored before it is applied', (t) => {
  let sequences = 0;
  let steps = 0;
  fc.assert(
    fc.property(fc.array(action, { maxLength: 150, size: 'max' }), (actions) => {
      const world = new World();
      for (const each of actions) world.act(each);
      world.settle();
      assert.equal(world.answered.length, world.accepted.length);
      assert.ok(world.answered.every((request, index) => request === world.accepted[index]));
      assert.deepEqual(
        world.published.map((config) => Object.keys(config).length),
        Object.keys(world.stored).map((_, index) => index + 1),
      );
      assert.equal(world.state.work, undefined);
      sequences += 1;
      steps += actions.length;
    }),
    { numRuns: repetitions(1000, 50_000) },
  );
  t.diagnostic(`${sequences} sequences of ${steps} steps`);
});

test('a full queue refuses requests and goes on', () => {
  const world = new World();
  for (let index = 0; index < MAX_WAITING + 5; index += 1) world.act(index % 2 === 0 ? 'patch' : 'reapply');
  assert.equal(world.busy, 5);
  world.settle();
  assert.equal(world.answered.length, MAX_WAITING);
  world.act('patch');
  world.settle();
  assert.equal(world.answered.length, MAX_WAITING + 1);
});

test('an impossible event is an error of the caller', () => {
  const version = { document: { a: 1 }, config: { a: 1 } };
  const events: Event[] = [
    { type: 'checked', change: { ...version, leaves: new Map() } },
    { type: 'failed', error: 1 },
    { type: 'written' },
    { type: 'applied' },
  ];
  const stages: readonly {
    name: string;
    actions: readonly ('patch' | 'succeed')[];
    allowed: readonly string[];
  }[] = [
    { name: 'while idle', actions: [], allowed: [] },
    { name: 'during check', actions: ['patch'], allowed: ['checked', 'failed'] },
    { name: 'during write', actions: ['patch', 'succeed'], allowed: ['written', 'failed'] },
    { name: 'during apply', actions: ['patch', 'succeed', 'succeed'], allowed: ['applied'] },
  ];
  for (const { name, actions, allowed } of stages) {
    for (const event of events.filter(({ type }) => !allowed.includes(type))) {
      const world = new World();
      for (const each of actions) world.act(each);
      assert.throws(() => next(world.state, event), new RegExp(`${event.type} ${name}`));
    }
  }
});
