import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { topic } from '../contract/topics.ts';
import { EventBus } from './bus.ts';
import {
  EventSession,
  type EventSessionOptions,
  MAX_QUEUED_CHARACTERS,
  MAX_QUEUED_EVENTS,
} from './session.ts';

const health = topic('health', Type.Unknown(), 'test');
const log = topic('log', Type.Unknown(), 'test');
const state = topic('display_state', Type.Unknown(), 'test');

interface Sent {
  type: string;
  topic?: string;
  topics?: string[];
  payload?: unknown;
  error?: { code: string; details?: { issues: { path: string }[] } };
}

function start(options: { onPageMessage?: EventSessionOptions['onPageMessage'] } = {}) {
  const bus = new EventBus();
  const frames: Sent[] = [];
  const link = {
    ready: true,
    overflows: 0,
    overflow() {
      this.overflows += 1;
    },
  };
  const session = new EventSession({
    bus,
    onPageMessage: options.onPageMessage,
    sink: {
      send: (text) => frames.push(JSON.parse(text)),
      ready: () => link.ready,
      overflow: () => link.overflow(),
    },
  });
  return { bus, frames, link, session };
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

test('an unknown topic changes nothing, and every one of them is named', () => {
  const { session, frames, bus } = start();
  session.receive({ type: 'subscribe', topics: ['log', 'nothing', 5] });
  assert.equal(frames[0]?.error?.code, 'bad_request');
  assert.deepEqual(
    frames[0]?.error?.details?.issues.map(({ path }) => path),
    ['/topics/1', '/topics/2'],
  );
  bus.emit(log, {});
  assert.equal(frames.length, 1);
  for (const topics of [undefined, 'log', { 0: 'log' }]) session.receive({ type: 'subscribe', topics });
  session.receive({ type: 'toString' });
  session.receive({});
  assert.ok(frames.slice(1).every(({ type, error }) => type === 'error' && error?.code === 'bad_request'));
  assert.equal(frames.length, 6);
});

test('a costly topic is produced while somebody listens, acknowledged before its first event', () => {
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
  session.close();
  assert.equal(running, 0);
});

test('a client that does not read loses the oldest of what it can miss, and nothing else', () => {
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

test('what must not be lost and has no room ends the session once', () => {
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

test('few large events are bounded as many small ones are', () => {
  const { session, bus, link } = start();
  session.receive({ type: 'subscribe', topics: ['log'] });
  link.ready = false;
  const text = 'x'.repeat(MAX_QUEUED_CHARACTERS / 8);
  for (let count = 0; count < 100; count += 1) bus.emit(log, { text });
  assert.ok(session.queued < 8 && session.queued > 0, `${session.queued} wait`);
  session.receive({ type: 'unsubscribe', topics: ['log'] });
  assert.equal(session.queued, 0);
});

test('page messages go to the channel, or say that there is none', () => {
  const got: unknown[] = [];
  const wired = start({ onPageMessage: (payload) => got.push(payload) });
  wired.session.receive({ type: 'page_message', payload: { a: 1 } });
  assert.deepEqual(got, [{ a: 1 }]);
  wired.session.receive({ type: 'page_message' });
  assert.equal(wired.frames[0]?.error?.code, 'bad_request');
  const unwired = start();
  unwired.session.receive({ type: 'page_message', payload: 1 });
  assert.equal(unwired.frames[0]?.error?.code, 'not_implemented');
});
