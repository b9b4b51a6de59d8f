/** Every order of patches, failures and repeated applications that a random client and a random disk produce. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../ci/lib/long-runs.ts';
import { type Effect, type Event, initialState, MAX_WAITING, next, type State } from './machine.ts';

type Document = readonly number[];
type Patch = number;
type TestState = State<Patch, Document, Document>;
type TestEvent = Event<Patch, Document, Document>;
type TestEffect = Effect<Patch, Document, Document>;

/** What the outside does next: a request comes, or what is being worked on goes well or fails. */
const action = fc.constantFrom('patch', 'patch', 'reapply', 'succeed', 'succeed', 'succeed', 'fail');

/** Runs the machine on a disk that keeps each patch as one more number, and checks every step. */
class World {
  state: TestState = initialState({ document: [], config: [] });
  /** On the disk. */
  stored: Document = [];
  /** In effect. */
  applied: Document = [];
  /** Ids of the requests that were taken, in their order, and of those that were answered. */
  readonly taken: number[] = [];
  readonly answered: number[] = [];
  busy = 0;
  published: Document[] = [];
  pending: TestEffect | undefined;
  #lastId = 0;

  act(what: 'patch' | 'reapply' | 'succeed' | 'fail'): void {
    if (what === 'patch' || what === 'reapply') {
      this.#lastId += 1;
      const id = this.#lastId;
      const refusals = this.busy;
      this.handle({
        type: 'requested',
        request: what === 'patch' ? { id, kind: 'patch', patch: id } : { id, kind: 'reapply', path: 'a.b' },
      });
      if (this.busy === refusals) this.taken.push(id);
    } else if (this.pending) this.handle(this.#outcome(this.pending, what === 'succeed'));
  }

  handle(event: TestEvent): void {
    const { state, effects } = next(this.state, event);
    this.state = state;
    const work = effects.filter(({ type }) => ['check', 'write', 'apply', 'reapply'].includes(type));
    assert.ok(work.length <= 1, 'one thing is done at a time');
    if (event.type !== 'requested') this.pending = undefined;
    for (const effect of effects) this.#observe(effect);
    assert.ok(state.requests.length <= MAX_WAITING);
    assert.deepEqual(state.current.document, this.stored, 'what is in force is what the disk holds');
    assert.equal(
      state.requests.length > 0,
      this.pending !== undefined,
      'a request is always being worked on',
    );
  }

  #observe(effect: TestEffect): void {
    switch (effect.type) {
      case 'reject_busy':
        assert.equal(this.state.requests.length, MAX_WAITING);
        this.busy += 1;
        return;
      case 'publish':
        assert.deepEqual(effect.config, this.stored, 'only what is stored is published');
        assert.deepEqual(this.applied, this.stored, 'and after it was applied');
        this.published.push(effect.config);
        return;
      case 'answer': {
        const isPatch = effect.leaves.size > 0;
        if (isPatch) assert.deepEqual(this.published.at(-1), effect.config, 'published before the answer');
        this.answered.push(effect.id);
        return;
      }
      case 'reject':
        this.answered.push(effect.id);
        return;
      default:
        assert.equal(this.pending, undefined);
        this.pending = effect;
    }
  }

  /** Does the work, or fails to, and says so. */
  #outcome(effect: TestEffect, succeeds: boolean): TestEvent {
    switch (effect.type) {
      case 'check': {
        if (!succeeds) return { type: 'refused', error: new Error('refused') };
        const document = [...effect.current.document, effect.patch];
        const leaves = new Map([['a.b', 'live' as const]]);
        return { type: 'checked', change: { document, config: document, leaves } };
      }
      case 'write':
        if (!succeeds) return { type: 'not_written', error: new Error('no room') };
        this.stored = effect.document;
        return { type: 'written' };
      case 'apply':
        assert.deepEqual(effect.before, this.applied);
        this.applied = effect.now;
        return { type: 'applied' };
      case 'reapply':
        assert.deepEqual(effect.now, this.stored);
        return { type: 'applied' };
      default:
        assert.fail(`${effect.type} is no work`);
    }
  }

  /** Lets everything end well. */
  settle(): void {
    while (this.pending) this.act('succeed');
  }
}

test('requests are answered once, in their order, and a patch is stored before it is in force', (t) => {
  let sequences = 0;
  let steps = 0;
  fc.assert(
    fc.property(fc.array(action, { maxLength: 150, size: 'max' }), (actions) => {
      const world = new World();
      for (const each of actions) world.act(each);
      world.settle();
      assert.deepEqual(world.answered, world.taken);
      assert.deepEqual(
        world.published.map((config) => config.length),
        world.stored.map((_, index) => index + 1),
      );
      assert.equal(world.state.step, undefined);
      sequences += 1;
      steps += actions.length;
    }),
    { numRuns: repetitions(1000, 50_000) },
  );
  t.diagnostic(`${sequences} sequences of ${steps} steps`);
});

test('a full queue refuses and goes on', () => {
  const world = new World();
  for (let index = 0; index < MAX_WAITING + 5; index += 1) world.act(index % 2 === 0 ? 'patch' : 'reapply');
  assert.equal(world.busy, 5);
  world.settle();
  assert.equal(world.answered.length, MAX_WAITING);
  world.act('patch');
  world.settle();
  assert.equal(world.answered.length, MAX_WAITING + 1);
});

test('an event that cannot come now is an error of the caller', () => {
  const version = { document: [1], config: [1] };
  const events: TestEvent[] = [
    { type: 'checked', change: { ...version, leaves: new Map() } },
    { type: 'refused', error: 1 },
    { type: 'written' },
    { type: 'not_written', error: 1 },
    { type: 'applied' },
  ];
  const stages: readonly { actions: readonly ('patch' | 'succeed')[]; fits: readonly string[] }[] = [
    { actions: [], fits: [] },
    { actions: ['patch'], fits: ['checked', 'refused'] },
    { actions: ['patch', 'succeed'], fits: ['written', 'not_written'] },
    { actions: ['patch', 'succeed', 'succeed'], fits: ['applied'] },
  ];
  for (const { actions, fits } of stages) {
    for (const event of events.filter(({ type }) => !fits.includes(type))) {
      const world = new World();
      for (const each of actions) world.act(each);
      assert.throws(() => next(world.state, event), new RegExp(`${event.type} while`));
    }
  }
});
