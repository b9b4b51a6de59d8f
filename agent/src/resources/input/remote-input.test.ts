import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../contract/errors.ts';
import { NEW_DEVICES } from './injection.ts';
import { RemoteInput } from './remote-input.ts';
import {
  HOLD_MS,
  IDLE_MS,
  REMOVED,
  type RemoteInputEvent,
  remoteInputMachine,
} from './remote-input-machine.ts';
import type { InjectedEvent } from './schema.ts';

const CLICK: InjectedEvent = { type: 'click', x: 0.5, y: 0.5 };
const PRESS: InjectedEvent = { type: 'button', pressed: true };
const RELEASED = 'button 272 0';

/** The devices of a compositor; `did` is what happened to them. */
class FakeInput {
  isRunning = false;
  did: string[] = [];
  failure: string | undefined;
  /** Resolves the next `send`; undefined: at once. */
  gate: Promise<void> | undefined;

  async start(): Promise<void> {
    if (this.failure) throw new Error(this.failure);
    this.isRunning = true;
    this.did.push('start');
  }

  async send(lines: readonly string[]): Promise<void> {
    await this.gate;
    if (this.failure) throw new Error(this.failure);
    assert.ok(this.isRunning, 'nothing is sent to devices that are not there');
    this.did.push(...lines);
  }

  stop(): void {
    if (this.isRunning) this.did.push('stop');
    this.isRunning = false;
  }
}

let input: FakeInput;
let remote: RemoteInput;
let hasScreen: boolean;
/** Whether the page answers. */
let answers: boolean;

beforeEach(async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  [input, hasScreen, answers] = [new FakeInput(), true, false];
  remote = new RemoteInput({
    input,
    hasScreen: () => hasScreen,
    ping: async () => {
      if (answers) input.did.push('ping');
      return answers;
    },
    frame: async () => void (answers && input.did.push('frame')),
    log: { warn: () => undefined },
  });
  await remote.configure(true);
  input.did = [];
});
afterEach(() => {
  remote.stop();
  mock.timers.reset();
});

/** Lets time pass, and what is due happen. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  await new Promise(setImmediate);
}

const code = (expected: string) => (error: unknown) => error instanceof ApiError && error.code === expected;

test('the devices are added with the first request, and the page handles one step after the other', async () => {
  answers = true;
  await remote.inject([CLICK, { type: 'key', key: 'Shift', pressed: true }]);
  await remote.inject([PRESS]);
  const did = input.did.filter((line) => !line.startsWith('keymap '));
  assert.deepEqual(did, [
    ...['start', 'ping'],
    ...['move 500000 500000', 'button 272 1', 'ping', 'frame', 'ping', 'button 272 0', 'ping'],
    ...['key 42 1', 'modifiers 1', 'ping', 'ping', 'ping'],
    ...['button 272 1', 'ping'],
  ]);
});

test('devices that are added slowly leave the page its time', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  answers = true;
  const start = input.start.bind(input);
  input.start = async () => {
    now += 10_000;
    await start();
  };
  await remote.inject([PRESS]);
  assert.deepEqual(input.did, ['start', 'ping', 'button 272 1', 'ping']);
});

test('a page that does not answer is asked once in a request', async () => {
  let asked = 0;
  remote.stop();
  remote = new RemoteInput({
    input,
    hasScreen: () => true,
    ping: async () => {
      asked += 1;
      return false;
    },
    frame: async () => undefined,
    log: { warn: () => undefined },
  });
  await remote.configure(true);
  await remote.inject([CLICK, CLICK, CLICK]);
  assert.equal(asked, 1);
  assert.equal(input.did.filter((line) => line === RELEASED).length, 3);
});

test('what is held is released after a while without requests; then the devices are removed', async () => {
  await remote.inject([PRESS]);
  await pass(HOLD_MS - 1);
  await remote.inject([{ type: 'move', x: 0, y: 0 }]);
  await pass(HOLD_MS - 1);
  assert.ok(!input.did.includes(RELEASED));
  await pass(1);
  assert.equal(input.did.at(-1), RELEASED);
  await pass(IDLE_MS - HOLD_MS - 1);
  assert.ok(input.isRunning);
  await pass(1);
  assert.deepEqual([input.did.at(-1), input.isRunning], ['stop', false]);
});

test('a time that ends during a request does not release what that request presses', async () => {
  await remote.inject([PRESS]);
  const { promise, resolve } = Promise.withResolvers<void>();
  input.gate = promise;
  const pressing = remote.inject([{ type: 'key', key: 'Home', pressed: true }]);
  await pass(HOLD_MS);
  resolve();
  await pressing;
  await pass(0);
  assert.equal(input.did.at(-1), 'key 102 1');
  await pass(HOLD_MS);
  assert.deepEqual(input.did.slice(-2), ['key 102 0', RELEASED]);
});

test('what is held is released when it is switched off, also while requests wait', async () => {
  await remote.inject([PRESS]);
  const { promise, resolve } = Promise.withResolvers<void>();
  input.gate = promise;
  const running = remote.inject([{ type: 'key', key: 'Home', pressed: true }]);
  await pass(0);
  const off = remote.configure(false);
  const late = assert.rejects(remote.inject([CLICK]), code('remote_input_disabled'));
  resolve();
  await Promise.all([running, off, late]);
  assert.deepEqual(input.did.slice(-3), ['key 102 0', RELEASED, 'stop']);
});

test('a failure removes the devices, and the next request adds new ones', async () => {
  await remote.inject([PRESS]);
  input.failure = 'no answer';
  await assert.rejects(remote.inject([CLICK]), code('unavailable'));
  assert.equal(input.isRunning, false);
  await assert.rejects(remote.inject([CLICK]), code('unavailable'));
  input.failure = undefined;
  input.did = [];
  // The button is not held any more.
  await remote.inject([PRESS]);
  assert.deepEqual(input.did, ['start', 'button 272 1']);
  // The compositor has restarted.
  input.isRunning = false;
  input.did = [];
  await remote.inject([PRESS]);
  assert.deepEqual(input.did, ['start', 'button 272 1']);
});

test('refuses events that break a rule, a missing screen, and more than it can do', async () => {
  await assert.rejects(remote.inject([CLICK, { type: 'text' }]), code('bad_request'));
  hasScreen = false;
  await assert.rejects(remote.inject([CLICK]), code('unavailable'));
  hasScreen = true;
  assert.deepEqual(input.did, []);
  const all = await Promise.allSettled(Array.from({ length: 30 }, () => remote.inject([CLICK])));
  const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  assert.equal(refused.length, 13);
  assert.ok(refused.every(code('too_many_requests')));
});

test('in any order of events: nothing is sent to devices that are not there, and nothing is held without a wait', () => {
  const event = fc.oneof<fc.Arbitrary<RemoteInputEvent>[]>(
    fc.constantFrom<RemoteInputEvent>(
      { type: 'asked', events: [PRESS] },
      { type: 'asked', events: [{ type: 'key', key: 'Shift', pressed: true }, CLICK] },
      { type: 'waited' },
      { type: 'lost' },
      { type: 'off' },
    ),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let state = REMOVED;
      let [isRunning, isWaiting] = [false, false];
      const held = new Set<string>();
      for (const one of events) {
        if (one.type === 'waited' && !isWaiting) continue;
        if (one.type === 'waited') isWaiting = false;
        const next = remoteInputMachine(state, one);
        state = next.state;
        for (const effect of next.effects) {
          if (effect.do === 'start') isRunning = true;
          if (effect.do === 'wait') isWaiting = true;
          if (effect.do === 'stop') {
            [isRunning, isWaiting] = [false, false];
            held.clear();
          }
          if (effect.do !== 'send') continue;
          assert.ok(isRunning);
          for (const line of effect.lines) {
            const [, name, isPressed] = /^(?:key|button) (\d+) ([01])$/.exec(line) ?? [];
            if (name !== undefined && isPressed === '1') held.add(name);
            if (name !== undefined && isPressed === '0') held.delete(name);
          }
        }
        assert.equal(state.isRunning, isRunning);
        assert.deepEqual([...held].map(Number).toSorted(), state.devices.pressed.toSorted());
        if (isRunning) assert.ok(isWaiting);
        else assert.deepEqual(state.devices, NEW_DEVICES);
      }
    }),
  );
});
