import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Type from 'typebox';
import { ApiError } from '../contract/errors.ts';
import { MAX_ISSUES } from '../contract/issues.ts';
import { topic } from '../contract/topics.ts';
import { topics } from '../resources/contract.ts';
import { pageChannelClosed } from '../resources/page/schema.ts';
import { EventBus } from './bus.ts';
import { EventSession, MAX_QUEUED_CHARACTERS, MAX_QUEUED_EVENTS } from './session.ts';

const health = topic('health', Type.Unknown(), 'test');
const log = topic('log', Type.Unknown(), 'test');
const state = topic('display_state', Type.Unknown(), 'test');

interface Sent {
  type: string;
  topic?: string;
  topics?: string[];
  payload?: unknown;
  error?: { code: string; message: string; details?: { issues: { path: string; message: string }[] } };
}

function start() {
  const bus = new EventBus(topics);
  const frames: Sent[] = [];
  const link = {
    ready: true,
    /** Frames that it accepts although it is not ready. */
    room: 0,
    overflows: 0,
    overflow() {
      this.overflows += 1;
    },
  };
  const toPage: unknown[] = [];
  const sink = {
    send: (text: string) => frames.push(JSON.parse(text)),
    ready: () => link.ready || link.room-- > 0,
    overflow: () => link.overflow(),
  };
  const session = new EventSession(bus, sink, async (payload) => {
    if (payload === null) throw new ApiError(pageChannelClosed);
    toPage.push(payload);
  });
  return { bus, frames, link, session, toPage };
}

test('acknowledges with all topics, and a later subscribe keeps the earlier ones', () => {
  const { session, frames } = start();
  session.receive({ type: 'subscribe', topics: ['log', 'health', 'log'] });
  session.receive({ type: 'subscribe', topics: ['display_state'] });
  session.receive({ type: 'subscribe', topics: [] });
  session.receive({ type: 'unsubscribe', topics: ['health', 'operation'] });
  assert.deepEqual(
    frames.map(({ type, topics }) => ({ type, topics })),
    [
      ['log', 'health'],
      ['log', 'health', 'display_state'],
      ['log', 'health', 'display_state'],
      ['log', 'display_state'],
    ].map((topics) => ({ type: 'subscribed', topics })),
  );
});

test('an unknown topic changes nothing, and the error lists every one', () => {
  const { session, frames, bus } = start();
  session.receive({ type: 'subscribe', topics: ['log', 'nothing', 5] });
  assert.equal(frames[0]?.error?.code, 'bad_request');
  assert.deepEqual(
    frames[0]?.error?.details?.issues.map(({ path }) => path),
    ['/topics/1', '/topics/2'],
  );
  assert.match(
    frames[0]?.error?.details?.issues[0]?.message ?? '',
    /^must be one of .*\bhealth, .*display_state/,
  );
  bus.emit(log, {});
  assert.equal(frames.length, 1);
  for (const topics of [undefined, 'log', { 0: 'log' }]) session.receive({ type: 'subscribe', topics });
  session.receive({ type: 'toString' });
  session.receive({});
  assert.ok(frames.slice(1).every(({ type, error }) => type === 'error' && error?.code === 'bad_request'));
  assert.deepEqual(
    frames.slice(-2).map(({ error }) => error?.message),
    ['There is no frame type toString.', 'The frame has no type.'].map(
      (start) => `${start} Types are subscribe, unsubscribe, page_message.`,
    ),
  );
  assert.equal(frames.length, 6);
});

test('an error stays small, whatever the frame', () => {
  const { session, frames } = start();
  session.receive({ type: 'subscribe', topics: Array.from({ length: 5000 }, () => 'nothing') });
  assert.equal(frames[0]?.error?.details?.issues.length, MAX_ISSUES);
  session.receive({ type: 'x'.repeat(100) });
  const { message = '' } = frames[1]?.error ?? {};
  assert.ok(
    message.startsWith(`There is no frame type ${'x'.repeat(40)}. `) && message.length < 200,
    message,
  );
});

test('an expensive topic is produced while it has listeners, acknowledged before its first event', () => {
  const { session, frames, bus } = start();
  let running = 0;
  bus.produceOnDemand(health, () => {
    running += 1;
    bus.emit(health, { first: true });
    return () => {
      running -= 1;
    };
  });
  session.receive({ type: 'subscribe', topics: ['health'] });
  assert.deepEqual(
    frames.map(({ type }) => type),
    ['subscribed', 'event'],
  );
  session.receive({ type: 'subscribe', topics: ['health'] });
  assert.equal(running, 1);
  frames.length = 0;
  bus.emit(health, {});
  assert.equal(frames.length, 1, 'subscribing twice delivers an event once');
  session.close();
  assert.equal(running, 0);
  bus.emit(health, {});
  assert.equal(frames.length, 1);
});

test('unsubscribing ends delivery of that topic alone', () => {
  const { session, frames, bus } = start();
  session.receive({ type: 'subscribe', topics: ['log', 'display_state'] });
  session.receive({ type: 'unsubscribe', topics: ['log'] });
  frames.length = 0;
  bus.emit(log, {});
  bus.emit(state, {});
  assert.deepEqual(
    frames.map((frame) => frame.topic),
    ['display_state'],
  );
});

test('events stay in order when the link is ready before it flushes', () => {
  const { session, frames, bus, link } = start();
  session.receive({ type: 'subscribe', topics: ['log'] });
  frames.length = 0;
  link.ready = false;
  bus.emit(log, 1);
  link.ready = true;
  bus.emit(log, 2);
  assert.equal(frames.length, 0);
  session.flush();
  assert.deepEqual(
    frames.map(({ payload }) => payload),
    [1, 2],
  );
});

test('a flush sends only as much as the link accepts', () => {
  const { session, frames, bus, link } = start();
  session.receive({ type: 'subscribe', topics: ['log'] });
  link.ready = false;
  for (const count of [1, 2, 3]) bus.emit(log, count);
  frames.length = 0;
  link.room = 2;
  session.flush();
  assert.deepEqual(
    frames.map(({ payload }) => payload),
    [1, 2],
  );
  assert.equal(session.queued, 1);
});

for (const topic of topics) {
  const droppable = ['input_raw', 'log', 'health', 'page_console'].includes(topic.name);
  test(`a full queue ${droppable ? 'drops the oldest' : 'ends the session'}: ${topic.name}`, () => {
    const { session, bus, link } = start();
    session.receive({ type: 'subscribe', topics: [topic.name] });
    link.ready = false;
    for (let count = 0; count < MAX_QUEUED_EVENTS; count += 1) bus.emitJson(topic, '{}');
    assert.deepEqual([session.queued, link.overflows], [MAX_QUEUED_EVENTS, 0]);
    bus.emitJson(topic, '{}');
    assert.deepEqual([session.queued, link.overflows], droppable ? [MAX_QUEUED_EVENTS, 0] : [0, 1]);
  });
}

test('a client that does not read loses the oldest droppable events, and no others', () => {
  const { session, frames, bus, link } = start();
  session.receive({ type: 'subscribe', topics: ['log', 'display_state'] });
  frames.length = 0;
  link.ready = false;
  for (let count = 0; count < 100; count += 1) bus.emit(state, { count });
  for (let count = 0; count < 5000; count += 1) bus.emit(log, { count });
  assert.equal(session.queued, MAX_QUEUED_EVENTS);
  link.ready = true;
  session.flush();
  const states = frames.filter((frame) => frame.topic === 'display_state').map(({ payload }) => payload);
  const logs = frames.filter((frame) => frame.topic === 'log').map(({ payload }) => payload);
  assert.deepEqual(
    states,
    Array.from({ length: 100 }, (_, count) => ({ count })),
  );
  assert.deepEqual(logs.at(-1), { count: 4999 });
  assert.equal(logs.length, MAX_QUEUED_EVENTS - 100);
  assert.equal(session.queued, 0);
  assert.equal(link.overflows, 0);
});

test('an event that must not be lost and has no room ends the session once', () => {
  const { session, bus, link } = start();
  session.receive({ type: 'subscribe', topics: ['display_state'] });
  link.ready = false;
  for (let count = 0; count < 2 * MAX_QUEUED_EVENTS; count += 1) bus.emit(state, { count });
  assert.equal(link.overflows, 1);
  assert.equal(session.queued, 0);
});

test('a session that has ended takes no more subscriptions', () => {
  const { session, bus, frames } = start();
  const produced: string[] = [];
  bus.produceOnDemand(health, () => {
    produced.push('start');
    // Its own first event ends the session, as one for which there is no room would.
    session.close();
    return () => produced.push('stop');
  });
  session.receive({ type: 'subscribe', topics: ['health'] });
  assert.deepEqual(produced, ['start', 'stop']);
  session.receive({ type: 'subscribe', topics: ['health', 'display_state'] });
  bus.emit(state, {});
  assert.deepEqual(produced, ['start', 'stop']);
  assert.equal(frames.length, 1);
});

test('a session that ends during a subscription starts no further producer', () => {
  const { session, bus } = start();
  bus.produceOnDemand(health, () => {
    session.close();
    return () => undefined;
  });
  let started = false;
  bus.produceOnDemand(log, () => {
    started = true;
    return () => undefined;
  });
  session.receive({ type: 'subscribe', topics: ['health', 'log'] });
  assert.equal(started, false);
});

test('the queue is limited by size, too', () => {
  const { session, bus, link } = start();
  session.receive({ type: 'subscribe', topics: ['log'] });
  link.ready = false;
  const text = 'x'.repeat(MAX_QUEUED_CHARACTERS / 8);
  for (let count = 0; count < 100; count += 1) bus.emit(log, { text });
  assert.ok(session.queued < 8 && session.queued > 0, `${session.queued} wait`);
  session.receive({ type: 'unsubscribe', topics: ['log'] });
  assert.equal(session.queued, 0);
});

test('room is free again after a flush and after unsubscribing, to the last character', () => {
  const { session, bus, link, frames } = start();
  session.receive({ type: 'subscribe', topics: ['log', 'display_state'] });
  bus.emit(state, '');
  const overhead = JSON.stringify(frames.at(-1)).length;
  const text = 'x'.repeat(MAX_QUEUED_CHARACTERS - overhead);
  const fill = () => {
    link.ready = false;
    bus.emit(state, text);
    assert.deepEqual([session.queued, link.overflows], [1, 0]);
  };
  fill();
  for (const next of [fill, () => bus.emit(log, 'x'.repeat(1000))]) {
    link.ready = true;
    session.flush();
    link.ready = false;
    next();
  }
  session.receive({ type: 'unsubscribe', topics: ['log'] });
  fill();
  bus.emit(state, '');
  assert.equal(link.overflows, 1);
});

test('unsubscribing from one topic keeps the queued events of the others, and their size counts', () => {
  const { session, bus, link } = start();
  session.receive({ type: 'subscribe', topics: ['log', 'display_state'] });
  link.ready = false;
  const half = 'x'.repeat(MAX_QUEUED_CHARACTERS / 2);
  bus.emit(state, half);
  bus.emit(log, 1);
  session.receive({ type: 'unsubscribe', topics: ['log'] });
  assert.equal(session.queued, 1);
  bus.emit(state, half);
  assert.equal(link.overflows, 1);
});

test('page messages go to the page, and an error comes back', async () => {
  const { session, frames, toPage } = start();
  session.receive({ type: 'page_message' });
  session.receive({ type: 'page_message', payload: { a: [1] } });
  session.receive({ type: 'page_message', payload: null });
  await new Promise(setImmediate);
  assert.deepEqual(toPage, [{ a: [1] }]);
  assert.deepEqual(
    frames.map(({ error }) => error?.code),
    ['bad_request', 'page_channel_closed'],
  );
});

test('a producer can wait until a slow client has got everything; one that reads nothing is closed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { bus, session, link, frames } = start();
  session.receive({ type: 'subscribe', topics: ['display_state'] });
  bus.emit(state, 1);
  assert.equal(bus.drained(state), undefined);
  link.ready = false;
  for (const value of [2, 3]) bus.emit(state, value);
  assert.equal(bus.drained(log), undefined);
  let isDrained = false;
  void bus.drained(state)?.then(() => {
    isDrained = true;
  });
  link.room = 1;
  t.mock.timers.tick(9000);
  session.flush();
  t.mock.timers.tick(9000);
  await new Promise(setImmediate);
  assert.deepEqual([isDrained, link.overflows, session.queued], [false, 0, 1]);
  link.room = 1;
  session.flush();
  await new Promise(setImmediate);
  assert.ok(isDrained);
  assert.deepEqual(
    frames.slice(1).map(({ payload }) => payload),
    [1, 2, 3],
  );

  link.room = 0;
  bus.emit(state, 4);
  const gone = bus.drained(state);
  assert.ok(gone);
  t.mock.timers.tick(10_000);
  await gone;
  assert.equal(link.overflows, 1);
  assert.equal(bus.drained(state), undefined);
});

test('an unexpected error is reported without its message', () => {
  const { session, frames, bus } = start();
  bus.produceOnDemand(health, () => {
    throw new Error('secret');
  });
  session.receive({ type: 'subscribe', topics: ['health'] });
  assert.equal(frames[1]?.error?.code, 'internal');
  assert.doesNotMatch(JSON.stringify(frames), /secret/);
});

test('a session that another listener of the event closes does not get the event', () => {
  const { session, frames, bus } = start();
  bus.listen('log', () => session.close());
  session.receive({ type: 'subscribe', topics: ['log'] });
  bus.emit(log, {});
  assert.equal(frames.length, 1);
});

test('an event is turned into JSON once, however many sessions get it', () => {
  const { bus, session } = start();
  const sink = { send: () => {}, ready: () => true, overflow: () => {} };
  const other = new EventSession(bus, sink, async () => undefined);
  for (const each of [session, other]) each.receive({ type: 'subscribe', topics: ['log'] });
  let turned = 0;
  bus.emit(log, { toJSON: () => (turned += 1) });
  assert.equal(turned, 1);
});

/** A session whose client may ask for a state; the test ends each reading. */
function startWithState() {
  const started = start();
  const shown = topics.find(({ name }) => name === 'display_state') ?? assert.fail();
  const readings: PromiseWithResolvers<unknown>[] = [];
  started.bus.provideState(shown, () => {
    const reading = Promise.withResolvers<unknown>();
    readings.push(reading);
    return reading.promise;
  });
  const subscribe = () =>
    started.session.receive({ type: 'subscribe', topics: ['log', 'display_state'], snapshot: true });
  const payloads = () => started.frames.filter(({ type }) => type === 'event').map(({ payload }) => payload);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { ...started, shown, readings, subscribe, payloads, settle };
}

test('a state that is asked for follows the acknowledgement, as an event, and only if it is asked for', async () => {
  const { session, frames, readings, subscribe, settle } = startWithState();
  session.receive({ type: 'subscribe', topics: ['display_state'] });
  session.receive({ type: 'subscribe', topics: ['display_state'], snapshot: false });
  session.receive({ type: 'subscribe', topics: ['display_state'], snapshot: 1 });
  assert.equal(frames.at(-1)?.error?.message, '/snapshot must be true or false.');
  assert.equal(readings.length, 0);
  frames.length = 0;
  subscribe();
  readings[0]?.resolve('now');
  await settle();
  assert.deepEqual(
    frames.map(({ type, topic, payload }) => ({ type, topic, payload })),
    [
      { type: 'subscribed', topic: undefined, payload: undefined },
      { type: 'event', topic: 'display_state', payload: 'now' },
    ],
  );
});

test('a state that was read before an event never follows it', async () => {
  const { bus, shown, readings, subscribe, payloads, settle } = startWithState();
  subscribe();
  bus.emit(shown, 'newer');
  readings[0]?.resolve('older');
  await settle();
  assert.deepEqual([payloads(), readings.length], [['newer'], 1]);
});

test('a state that is asked for again while it is read is read again', async () => {
  const { bus, shown, readings, subscribe, payloads, settle } = startWithState();
  subscribe();
  bus.emit(shown, 'newer');
  subscribe();
  subscribe();
  assert.equal(readings.length, 1, 'one reading at a time, however often the client asks');
  readings[0]?.resolve('older');
  await settle();
  assert.deepEqual([payloads(), readings.length], [['newer'], 2]);
  readings[1]?.resolve('newest');
  await settle();
  bus.emit(shown, 'later');
  assert.deepEqual(payloads(), ['newer', 'newest', 'later']);
});

test('a state that cannot be read, or is no longer wanted, is not sent', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { session, readings, subscribe, payloads, settle } = startWithState();
  subscribe();
  readings[0]?.reject(new ApiError('unavailable'));
  await settle();
  subscribe();
  session.receive({ type: 'unsubscribe', topics: ['display_state'] });
  readings[1]?.resolve('unsubscribed');
  await settle();
  subscribe();
  t.mock.timers.tick(10_000);
  await settle();
  subscribe();
  assert.equal(readings.length, 4, 'a reading that hangs does not prevent the next one');
  session.close();
  readings[3]?.resolve('closed');
  await settle();
  assert.deepEqual(payloads(), []);
});

test('only topics that are declared as states have one', () => {
  assert.throws(() => new EventBus().provideState(log, () => 1), /log is not declared as a state/);
});
