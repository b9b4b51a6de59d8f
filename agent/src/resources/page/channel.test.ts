import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { KindEvents } from '../../base/kind-events.ts';
import { EventBus } from '../../events/bus.ts';
import { EventSession } from '../../events/session.ts';
import { topics } from '../contract.ts';
import { PageChannel } from './channel.ts';
import { messageSize, type PageBrowser, type PageEvent } from './ports.ts';

const WINDOW = 64;

/** A browser with a page that sends as many messages as it has credits for. */
class FakePage implements PageBrowser {
  readonly #events = new KindEvents<PageEvent>();
  readonly on = this.#events.on;
  channel = 0;
  credits = 0;
  sent = 0;
  /** Sizes of the sent messages. */
  readonly sizes: number[] = [];
  readonly got: unknown[] = [];
  /** Holds the answers to messages for the page. */
  held: (() => void)[] | undefined;
  failure: string | undefined;

  open(): void {
    this.channel += 1;
    this.credits = 0;
    this.#events.emit({ event: 'channel', channel: this.channel, open: true, origin: 'http://a.example' });
  }

  close(): void {
    this.#events.emit({ event: 'channel', channel: this.channel, open: false, origin: 'http://a.example' });
  }

  flood(): void {
    while (this.credits > 0) this.#next('');
  }

  /** Sends a message of size 4, if there is any credit. */
  sendLarge(): void {
    if (this.credits > 0) this.#next(' '.repeat(3 * 65_536));
  }

  #next(padding: string): void {
    const data = `${this.sent + 1}${padding}`;
    this.credits -= messageSize(data);
    this.sent += 1;
    this.sizes.push(messageSize(data));
    this.say(data);
  }

  say(data: string): void {
    this.#events.emit({ event: 'message', channel: this.channel, origin: 'http://a.example', data });
  }

  credit(channel: number, size: number): void {
    assert.ok(size > 0 && size <= WINDOW);
    if (channel === this.channel) this.credits += size;
    assert.ok(this.credits <= WINDOW);
  }

  async send(_channel: number, data: string): Promise<void> {
    if (this.failure !== undefined) throw Object.assign(new Error(), { code: this.failure });
    if (this.held) await new Promise<void>((resolve) => this.held?.push(resolve));
    this.got.push(JSON.parse(data));
  }
}

function start() {
  const bus = new EventBus(topics);
  const page = new FakePage();
  const target = { isThere: true };
  const channel = new PageChannel(bus, page);
  channel.setTarget(() => target.isThere);
  const told: unknown[] = [];
  let slow: PromiseWithResolvers<void> | undefined;
  const host = {
    get isSlow() {
      return slow !== undefined;
    },
    set isSlow(is) {
      slow?.resolve();
      slow = is ? Promise.withResolvers() : undefined;
    },
  };
  for (const topic of ['page_channel', 'page_message'] as const) {
    bus.listen(
      topic,
      ({ payload }) => told.push(payload),
      () => slow?.promise,
    );
  }
  return { bus, page, channel, told, host, target };
}

test('the page’s messages and its channel are told in order, and the page goes on sending', async () => {
  const { page, channel, told } = start();
  page.open();
  assert.ok(channel.isOpen);
  for (let round = 0; round < 10; round += 1) {
    page.flood();
    await setImmediate();
  }
  page.close();
  await setImmediate();
  assert.ok(!channel.isOpen);
  assert.ok(page.sent > 100);
  assert.deepEqual(told, [
    { open: true },
    ...Array.from({ length: page.sent }, (_, n) => n + 1),
    { open: false },
  ]);
});

test('while a target is on its way, nothing passes between hosts and the page before', async () => {
  const { page, channel, told, target } = start();
  page.open();
  target.isThere = false;
  channel.targetChanged();
  assert.ok(!channel.isOpen);
  await assert.rejects(channel.send('for the next page'), { code: 'page_channel_closed' });
  page.say('"late"');
  page.close();
  page.open();
  await assert.rejects(channel.send('for the next page'), { code: 'page_channel_closed' });
  page.flood();
  assert.equal(page.sent, 0, 'the page before got credits');
  // Its document has taken the target's place, as one that moves to a fragment.
  target.isThere = true;
  channel.targetChanged();
  await channel.send('for the next page');
  page.flood();
  await setImmediate();
  assert.deepEqual(page.got, ['for the next page']);
  assert.deepEqual(told.slice(0, 4), [{ open: true }, { open: false }, { open: true }, 1]);
});

test('a message reaches hosts as the page wrote it, however deep it is', async () => {
  const { bus, page } = start();
  const frames: string[] = [];
  const sink = { send: (text: string) => frames.push(text), ready: () => true, overflow: () => undefined };
  const session = new EventSession(bus, sink, async () => undefined);
  session.receive({ type: 'subscribe', topics: ['page_message'] });
  page.open();
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  for (const data of [deep, '{"a": 1e400,"a":2}', '"next"']) page.say(data);
  await setImmediate();
  const payloads = frames
    .slice(1)
    .map((frame) => /^{"type":"event","topic":"page_message","ts":"[^"]+","payload":(.*)}$/.exec(frame)?.[1]);
  assert.deepEqual(payloads, [deep, '{"a": 1e400,"a":2}', '"next"']);
});

test('while a host does not read, the page may send no more than the window, whatever it opens and closes', () => {
  const acts = fc.array(fc.constantFrom('open', 'close', 'flood', 'large', 'slow', 'fast', 'wait'), {
    maxLength: 60,
  });
  return fc.assert(
    fc.asyncProperty(acts, async (sequence) => {
      const { page, told, host } = start();
      let isOpen = false;
      let waiting = 0;
      for (const act of sequence) {
        const before = page.sent;
        if (act === 'open' && !isOpen) page.open();
        else if (act === 'close' && isOpen) page.close();
        else if (act === 'flood' && isOpen) page.flood();
        else if (act === 'large' && isOpen) page.sendLarge();
        else if (act === 'slow') host.isSlow = true;
        else if (act === 'fast') host.isSlow = false;
        if (act === 'open') isOpen = true;
        if (act === 'close') isOpen = false;
        if (act === 'wait') await setImmediate();
        waiting += page.sent - before;
        const messages = told.filter((each) => typeof each === 'number').length;
        const size = page.sizes.slice(messages).reduce((sum, each) => sum + each, 0);
        assert.ok(size < WINDOW + 4, `messages of size ${size} wait`);
      }
      host.isSlow = false;
      for (let turn = 0; turn < 200; turn += 1) await setImmediate();
      const messages = told.filter((each) => typeof each === 'number');
      assert.deepEqual(
        messages,
        Array.from({ length: waiting }, (_, n) => n + 1),
      );
      const states = told.flatMap((each) => (typeof each === 'object' ? [Object(each).open] : []));
      assert.ok(states.every((open, n) => open === (n % 2 === 0)));
      assert.equal(states.at(-1) ?? false, isOpen);
    }),
  );
});

test('messages for the page: in order, bounded, and refused without a channel', async () => {
  const { page, channel } = start();
  await assert.rejects(channel.send({}), { code: 'page_channel_closed' });
  page.open();
  page.held = [];
  const calls = Array.from({ length: 272 }, (_, n) => channel.send(n));
  await assert.rejects(channel.send('too many'), { code: 'too_many_requests' });
  assert.equal(page.held.length, 16);
  const { held } = page;
  page.held = undefined;
  for (const answer of held) answer();
  await Promise.all(calls);
  assert.deepEqual(
    page.got,
    Array.from({ length: 272 }, (_, n) => n),
  );
  page.held = [];
  const mebi = 'x'.repeat(1024 * 1024);
  const large = Array.from({ length: 23 }, () => channel.send(mebi));
  await assert.rejects(channel.send(mebi), { code: 'too_many_requests' });
  const first = page.held;
  page.held = undefined;
  page.close();
  for (const answer of first) answer();
  const ends = await Promise.allSettled(large);
  assert.equal(ends.filter(({ status }) => status === 'rejected').length, 7, 'those that had not been sent');
});

test('the browser’s failures have their codes', async () => {
  const { page, channel } = start();
  page.open();
  for (const [failure, code] of [
    ['channel_closed', 'page_channel_closed'],
    ['too_large', 'payload_too_large'],
    ['busy', 'too_many_requests'],
    ['timeout', 'unavailable'],
    ['refused', 'unavailable'],
  ] as const) {
    page.failure = failure;
    await assert.rejects(channel.send(1), { code });
  }
});
