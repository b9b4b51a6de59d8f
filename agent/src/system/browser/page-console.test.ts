/** The page's console: from a browser's socket to hosts, and how much of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrowserStage, type Command, send, until } from '../../../../testing/browser-stage.ts';
import { EventBus } from '../../events/bus.ts';
import { topics } from '../../resources/contract.ts';
import type { ConsoleMessage } from '../../resources/page/ports.ts';
import { pageConsole } from '../../resources/page/schema.ts';
import { PageConsole } from './page-console.ts';

const MESSAGE: ConsoleMessage = { level: 'log', text: 'hello', source: 'http://a/', line: 3, left_out: 0 };
const EVENT = { event: 'console', ...MESSAGE };

test('hosts may subscribe to it, and a slow one loses messages before its link', () => {
  assert.ok(topics.some(({ name, mayBeDropped }) => name === 'page_console' && mayBeDropped));
});

test('the browser collects messages while somebody is subscribed, also after it has connected again', async () => {
  const stage = await BrowserStage.create();
  try {
    await stage.browser.start();
    const commands: unknown[] = [];
    const answer = (command: Command) => {
      if (command.command === 'console') commands.push(command.enabled);
      return { ok: true };
    };
    const first = await stage.greet(answer);
    const bus = new EventBus();
    const unregister = bus.produceOnDemand(pageConsole, () =>
      stage.browser.followConsole((message) => bus.emit(pageConsole, message)),
    );
    assert.deepEqual(commands, []);
    const got: unknown[] = [];
    const take = (message: ConsoleMessage) => got.push(message);
    const stops = [bus.on(pageConsole, take), bus.on(pageConsole, () => undefined)];
    await until('the command', () => commands.length === 1);
    send(first, EVENT);
    send(first, {
      ...EVENT,
      level: 'error',
      source: null,
      line: null,
      text: '{"event":"hello"}\n\u2028\ud800',
    });
    await until('both messages', () => got.length === 2);
    assert.deepEqual(got, [
      MESSAGE,
      { level: 'error', text: '{"event":"hello"}\n\u2028\ufffd', source: null, line: null, left_out: 0 },
    ]);
    first.destroy();
    await until('the end of the connection', () => !stage.browser.connected);
    const second = await stage.greet(answer);
    await until('the command again', () => commands.length === 2);
    for (const stop of stops) stop();
    await until('the end of collecting', () => commands.length === 3);
    assert.deepEqual(commands, [true, true, false]);
    // Sent before the browser knew.
    send(second, EVENT);
    send(second, { event: 'painted', load: 1 });
    await until('the next event', () => stage.events.some(({ event }) => event === 'painted'));
    assert.equal(got.length, 2);
    unregister();
  } finally {
    await stage.close();
  }
});

test('a browser that floods: what is left out is counted, and the rate is bounded', () => {
  let now = 0;
  const messages = new PageConsole({ send: async () => undefined, now: () => now });
  const got: ConsoleMessage[] = [];
  const stop = messages.follow((message) => got.push(message));
  let sent = 0;
  const flood = (count: number, message: ConsoleMessage) => {
    for (let n = 0; n < count; n += 1) messages.take(message);
    sent += count + count * message.left_out;
  };
  flood(10_000, MESSAGE);
  assert.ok(got.length > 300 && got.length <= 400, `${got.length} at once`);
  for (; now < 10_000; now += 1) flood(1, { ...MESSAGE, left_out: 2 });
  const first = got.length;
  assert.ok(first > 600 && first <= 800, `${first} after 10 s`);
  now += 60_000;
  flood(1, MESSAGE);
  assert.equal(
    got.reduce((sum, { left_out }) => sum + 1 + left_out, 0),
    sent,
  );
  // Long ones cost more.
  flood(1000, { ...MESSAGE, text: 'x'.repeat(16 * 1024) });
  assert.ok(got.length - first < 30, `${got.length - first} long ones`);
  // A count is of one subscription.
  stop();
  messages.take(MESSAGE);
  now += 60_000;
  messages.follow((message) => got.push(message));
  messages.take({ ...MESSAGE, text: 'last' });
  assert.deepEqual(got.at(-1), { ...MESSAGE, text: 'last' });
});
