import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chord, type InputEvent, MAX_TEXT } from './inputs.ts';
import {
  holdsButton,
  IDLE,
  MAX_EVENTS,
  MAX_SCROLL,
  type SenderEvent,
  type SenderState,
  step,
} from './sender-machine.ts';

const move = (x: number): InputEvent => ({ type: 'move', x, y: 0 });
const set = (pressed: boolean, button: 'left' | 'right' = 'left'): InputEvent => ({
  type: 'button',
  button,
  pressed,
});
const text = (characters: string): InputEvent => ({ type: 'text', text: characters });
const wheel = (dy: number): InputEvent => ({ type: 'wheel', dx: 0, dy });

/** The state after events, and the requests that were made. */
function run(events: readonly SenderEvent[], start: SenderState = IDLE) {
  let state = start;
  const requests: (readonly InputEvent[])[] = [];
  for (const event of events) {
    const [after, request] = step(state, event);
    state = after;
    if (request) requests.push(request);
  }
  return { state, requests };
}

const input = (...events: InputEvent[]): SenderEvent => ({ type: 'input', events });
const sent: SenderEvent = { type: 'sent' };

test('the first input is sent at once; moves, turns of the wheel and texts become one each meanwhile', () => {
  const { requests } = run([
    input(move(0), set(true)),
    ...[0.1, 0.2, 0.3].map((x) => input(move(x))),
    input(move(0.4), set(false)),
    input(move(0.4), wheel(3)),
    input(move(0.4), wheel(4)),
    input(text('a')),
    input(text('b')),
    sent,
  ]);
  assert.deepEqual(requests, [
    [move(0), set(true)],
    [move(0.4), set(false), move(0.4), wheel(7), text('ab')],
  ]);
});

test('a request has the characters that the device takes; the wheel turns as far as it can', () => {
  const long = 'x'.repeat(MAX_TEXT);
  const { requests } = run([
    ...[input(move(0)), input(text(long)), input(text('y')), input(wheel(MAX_SCROLL)), input(wheel(5))],
    ...[sent, sent],
  ]);
  assert.deepEqual(requests, [[move(0)], [text(long)], [text('y'), wheel(MAX_SCROLL)]]);
});

test('what there is no room for is left out as a whole, and a release never is', () => {
  const keys = Array.from({ length: 2 * MAX_EVENTS }, () => input({ type: 'key', key: 'Enter' }));
  const { state } = run([input(move(0), set(true)), ...keys]);
  // One place is kept.
  assert.deepEqual([state.waiting.length, state.isCrowded], [MAX_EVENTS - 1, true]);
  const [refused] = step(state, input(move(1), set(true, 'right')));
  assert.deepEqual(refused.waiting, state.waiting);
  const [released] = step(state, input(move(1), set(false)));
  assert.deepEqual(released.waiting.at(-1), set(false));
  assert.equal(holdsButton(released), false);
  const { state: done } = run([sent, sent], released);
  assert.deepEqual(done, IDLE);
});

test('a failure drops what waits, and releases what may be pressed once', () => {
  const failed: SenderEvent = { type: 'failed' };
  const events = [input(move(0), set(true)), sent, input(set(true, 'right')), input(text('a')), failed];
  const { state, requests } = run(events);
  assert.deepEqual(requests.at(-1), [set(false, 'right'), set(false)]);
  assert.deepEqual(run([failed], state), { state: IDLE, requests: [] });
  assert.deepEqual(run([input(text('b')), sent], state).requests, [[text('b')]]);
  assert.deepEqual(run([input(text('a')), failed]), { state: IDLE, requests: [[text('a')]] });
});

test('a button that is held without a move is held on; nothing else is sent for nothing', () => {
  const still: SenderEvent = { type: 'still' };
  const { requests } = run([still, input(move(0), set(true)), still, sent, still, still]);
  assert.deepEqual(requests, [[move(0), set(true)], [{ type: 'button', button: 'middle', pressed: false }]]);
});

const someInput: fc.Arbitrary<InputEvent[]> = fc.oneof(
  fc.integer({ min: 0, max: 3 }).map((x) => [move(x / 3)]),
  fc
    .tuple(fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.constantFrom('left' as const, 'right' as const))
    .map(([x, pressed, button]) => [move(x / 3), set(pressed, button)]),
  fc
    .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: -9, max: 9 }))
    .map(([x, dy]) => [move(x / 3), wheel(dy)]),
  fc.string({ minLength: 1, maxLength: 400 }).map((characters) => [text(characters)]),
  fc.constantFrom(chord('Enter'), chord('Home', ['Control']), chord('Tab', ['Shift'])),
);
const someEvent: fc.Arbitrary<SenderEvent> = fc.oneof(
  { weight: 6, arbitrary: someInput.map((events): SenderEvent => ({ type: 'input', events })) },
  { weight: 3, arbitrary: fc.constant<SenderEvent>(sent) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<SenderEvent>({ type: 'failed' }, { type: 'release' }, { type: 'still' }),
  },
);

const nameOf = ({ type, button, key }: InputEvent) => `${type} ${button ?? key}`;

/** What is pressed on a device that does events. */
function press(held: Set<string>, events: readonly InputEvent[]): void {
  for (const event of events) {
    if (event.pressed === true) held.add(nameOf(event));
    if (event.pressed === false) held.delete(nameOf(event));
  }
}

/** What events do: where the pointer is at each, without moves and releases of what is not pressed. */
function effectOf(events: readonly InputEvent[]) {
  const held = new Set<string>();
  const effects: { what: string; place: string; text: string; turned: number }[] = [];
  let place = 'nowhere';
  for (const event of events) {
    if (event.type === 'move') place = String(event.x);
    if (event.type === 'move' || (event.pressed === false && !held.has(nameOf(event)))) continue;
    press(held, [event]);
    const { type, text: typed = '', dy = 0 } = event;
    const last = effects.at(-1);
    if (type === 'text' && last?.what === 'text') last.text += typed;
    else if (type === 'wheel' && last?.what === 'wheel' && last.place === place) last.turned += dy;
    else {
      const isKey = type === 'button' || type === 'key';
      const what = isKey ? `${nameOf(event)} ${event.pressed}` : type;
      // Where the pointer is makes no difference for a text.
      effects.push({ what, place: type === 'text' ? '' : place, text: typed, turned: dy });
    }
  }
  return { effects, place };
}

/** Releases everything and lets all requests be answered. @returns these requests */
function finish(state: SenderState): (readonly InputEvent[])[] {
  const requests: (readonly InputEvent[])[] = [];
  let [now, request] = step(state, { type: 'release' });
  while (now.sending) {
    if (request) requests.push(request);
    [now, request] = step(now, sent);
  }
  return requests;
}

test('in any order: one request at a time, with what the device takes, and nothing stays pressed', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(someEvent, fc.boolean()), { maxLength: 200 }), (events) => {
      let state = IDLE;
      const held = new Set<string>();
      for (const [event, wasDone] of events) {
        const { sending, isClearing } = state;
        const isAnswer = event.type === 'sent' || event.type === 'failed';
        if (isAnswer && !sending) continue;
        // A request that fails may have been done. After a second one the device releases by itself.
        if (isAnswer && (event.type === 'sent' || wasDone)) press(held, sending ?? []);
        if (event.type === 'failed' && isClearing) held.clear();
        const [after, request] = step(state, event);
        state = after;
        if (request) {
          assert.ok(isAnswer || !sending, 'the request before was answered');
          assert.ok(request.length > 0 && request.length <= MAX_EVENTS);
          assert.ok(request.reduce((sum, { text: typed = '' }) => sum + typed.length, 0) <= MAX_TEXT);
          assert.equal(request, state.sending);
        }
        assert.ok(state.waiting.length <= MAX_EVENTS);
        assert.ok(state.sending || state.waiting.length === 0, 'nothing waits without a reason');
      }
      if (state.sending) press(held, state.sending);
      for (const request of finish(state)) press(held, request);
      assert.deepEqual([...held], []);
    }),
  );
});

test('in any order: without a failure the device does exactly what was asked for', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(someInput, fc.constant(undefined)), { maxLength: 60 }), (inputs) => {
      const asked: InputEvent[] = [];
      const done: InputEvent[] = [];
      let state = IDLE;
      const dispatch = (event: SenderEvent) => {
        const [after, request] = step(state, event);
        state = after;
        done.push(...(request ?? []));
      };
      for (const events of inputs) {
        if (state.sending && !events) dispatch(sent);
        if (!events) continue;
        dispatch({ type: 'input', events });
        // What is left out is not asked for.
        if (state.isCrowded) return;
        asked.push(...events);
      }
      while (state.sending) dispatch(sent);
      assert.deepEqual(effectOf(done), effectOf(asked));
    }),
  );
});
