import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventChannel, FrameLog } from './channel.ts';

class TestChannel extends EventChannel {
  readonly sent: object[] = [];
  readonly receive = this.take;
  readonly lose = this.end;
  send(frame: object): void {
    this.sent.push(frame);
  }
  async close(): Promise<void> {
    this.end(new Error('closed'));
  }
}

const event = (topic: string, payload: unknown) => ({
  type: 'event',
  topic,
  ts: '2026-01-02T03:04:05.678Z',
  payload,
});

test('events are told from other frames, and waited for', async () => {
  const channel = new TestChannel();
  const { mark } = channel.events;
  const next = channel.events.next('log', mark, ({ message }) => message === 'second');
  channel.receive(event('log', { message: 'first' }));
  channel.receive(event('health', {}));
  channel.receive({ type: 'hello' });
  for (const broken of [
    { ...event('log', {}), more: 1 },
    { ...event('log', {}), ts: 'now' },
  ]) {
    channel.receive(broken);
  }
  channel.receive(event('log', { message: 'second' }));
  assert.deepEqual((await next).payload, { message: 'second' });
  assert.equal(channel.events.since(mark, 'log').length, 2);
  assert.deepEqual(await channel.frame('hello'), { type: 'hello' });
  assert.equal(channel.others.mark, 3);
});

test('subscribe resolves with the acknowledgement that follows it', async () => {
  const channel = new TestChannel();
  channel.receive({ type: 'subscribed', topics: [] });
  let isDone = false;
  const subscribed = channel.subscribe('log').then(() => {
    isDone = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isDone, false);
  assert.deepEqual(channel.sent, [{ type: 'subscribe', topics: ['log'] }]);
  channel.receive({ type: 'subscribed', topics: ['log'] });
  await subscribed;
});

test('whoever waits gets the end of the connection, or a timeout that names what is missing', async () => {
  const channel = new TestChannel();
  await assert.rejects(
    channel.events.next('log', 0, () => true, 20),
    /waited 0.02 s for a log event; received of that topic: nothing/,
  );
  const waiting = channel.frame('hello');
  channel.lose(new Error('the cable was pulled'));
  await assert.rejects(waiting, /the cable was pulled, while waiting for a hello frame/);
});

test('only the last frames are kept, and a mark before them is refused', () => {
  const log = new FrameLog<number>(3);
  for (let n = 0; n < 100; n++) log.push(n);
  assert.ok(log.since().length >= 3 && log.since().length < 6, String(log.since()));
  assert.equal(log.mark, 100);
  assert.deepEqual(log.since(98), [98, 99]);
  assert.throws(() => log.since(0), /more than 3 frames/);
});
