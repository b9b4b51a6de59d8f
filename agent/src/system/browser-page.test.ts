/** Scripts and messages of the page. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { BrowserStage, type Command, HELLO, send, sendInParts, until } from './tests/browser-peer.ts';

const ORIGIN = 'http://shop.example';
const OPEN = { event: 'channel', channel: 4, open: true, origin: ORIGIN };
const MESSAGE = { event: 'message', channel: 4, origin: ORIGIN };

let stage: BrowserStage;
beforeEach(async () => {
  stage = await BrowserStage.create();
  await stage.browser.start();
});
afterEach(() => stage.close());

const pageEvents = () => stage.events.filter(({ event }) => event === 'channel' || event === 'message');

test('a script gives its value or its exception', async () => {
  const commands: Command[] = [];
  const answers = [
    { ok: true, value: '{"a":[1,"é"]}' },
    { ok: true, exception: '{"message":"Error: no","line":3,"column":null}' },
  ];
  await stage.greet((command) => {
    commands.push(command);
    return answers.shift();
  });
  assert.deepEqual(await stage.browser.evaluate('return a', 5000), { value: { a: [1, 'é'] } });
  assert.deepEqual(await stage.browser.evaluate('fail()', 5000), {
    exception: { message: 'Error: no', line: 3, column: null },
  });
  assert.partialDeepStrictEqual(commands[0], { command: 'evaluate', body: 'return a', timeout_ms: 5000 });
});

test('a refusal has the code of the browser, and an unknown one is "refused"', async () => {
  const codes = ['timeout', 'busy', 'too_large', 'interrupted', 'no_page', 'screenshot_failed'];
  await stage.greet(({ id }) => ({ ok: false, code: codes[id - 1], message: 'why' }));
  for (const code of codes) {
    const known = code === 'screenshot_failed' ? 'refused' : code;
    await assert.rejects(stage.browser.evaluate('1', 1000), { code: known, message: 'why' });
  }
});

test('an answer in parts is put together; one that broke off, or is not JSON, is an error', async () => {
  const socket = await stage.greet();
  const answered = async (parts: string[], claimed: number) => {
    const result = stage.browser.evaluate('x', 60_000);
    for (const [part, data] of parts.entries()) send(socket, { body: 2, part, data });
    send(socket, { event: 'painted', load: 1 });
    send(socket, { id: ++id, ok: true, field: 'value', body: 2, parts: claimed });
    return await result;
  };
  let id = 0;
  assert.deepEqual(await answered(['["a', 'b', '"]'], 3), { value: ['ab'] });
  assert.equal(stage.events.at(-1)?.event, 'painted');
  await assert.rejects(answered(['["a', 'b'], 3), { code: 'broken' });
  await assert.rejects(answered(['["a', 'b'], 2), { code: 'broken' });
  const deep = 500_000;
  await assert.rejects(answered(['['.repeat(deep), ']'.repeat(deep)], 2), { code: 'broken' });
});

test('the page opens its channel, sends within its credits, and is left', async () => {
  const commands: Command[] = [];
  const socket = await stage.greet((command) => {
    commands.push(command);
    return { ok: true };
  });
  send(socket, OPEN);
  send(socket, { ...MESSAGE, data: '{\r\n"n":1}' });
  send(socket, { ...MESSAGE, channel: 3, data: '"of an earlier page"' });
  sendInParts(socket, MESSAGE, 'data', ['"lo', 'ng"']);
  await until('two messages', () => pageEvents().length === 3);
  stage.browser.credit(4, 2);
  await stage.browser.send(4, JSON.stringify({ text: '</script>\u2028' }));
  send(socket, { ...OPEN, open: false });
  await until('the close', () => pageEvents().length === 4);
  assert.deepEqual(pageEvents(), [
    OPEN,
    { ...MESSAGE, data: '{  "n":1}' },
    { ...MESSAGE, data: '"long"' },
    { ...OPEN, open: false },
  ]);
  assert.deepEqual(
    commands.map(({ id, ...fields }) => fields),
    [
      { command: 'credit', channel: 4, size: 2 },
      { command: 'message', channel: 4, data: JSON.stringify({ text: '</script>\u2028' }) },
    ],
  );
});

test('a message that is not JSON is dropped and its credit given back', async () => {
  const credits: unknown[] = [];
  const socket = await stage.greet(({ command, channel, size }) => {
    credits.push([command, channel, size]);
    return { ok: true };
  });
  send(socket, OPEN);
  send(socket, { ...MESSAGE, data: '{' });
  await until('the credit', () => credits.length > 0);
  assert.deepEqual(credits, [['credit', 4, 1]]);
  assert.deepEqual(pageEvents(), [OPEN]);
});

test('a channel ends with the connection, and the next browser reports its own', async () => {
  const socket = await stage.greet();
  send(socket, OPEN);
  await until('the channel', () => pageEvents().length === 1);
  socket.destroy();
  await until('the end', () => stage.events.at(-1)?.event === 'disconnected');
  assert.deepEqual(pageEvents(), [OPEN, { ...OPEN, open: false }]);
  stage.browser.credit(4, 1);
  const next = stage.connect();
  send(next, HELLO);
  send(next, { ...OPEN, channel: 1 });
  await until('its channel', () => pageEvents().length === 3);
});

test('what is too large is not sent', async () => {
  let count = 0;
  await stage.greet(() => {
    count += 1;
    return { ok: true };
  });
  const mib = 1024 * 1024;
  await stage.browser.send(4, JSON.stringify('x'.repeat(mib - 2)));
  await assert.rejects(stage.browser.send(4, JSON.stringify('x'.repeat(mib - 1))), { code: 'too_large' });
  await assert.rejects(stage.browser.send(4, JSON.stringify('é'.repeat(mib / 2))), { code: 'too_large' });
  await assert.rejects(stage.browser.evaluate('x'.repeat(8 * mib), 1000), { code: 'too_large' });
  assert.equal(count, 1);
});

test('a browser that does not read its commands gets no more of them', async () => {
  const socket = await stage.greet();
  socket.pause();
  const body = 'x'.repeat(4 * 1024 * 1024);
  const calls = Array.from({ length: 16 }, () => stage.browser.evaluate(body, 60_000));
  await assert.rejects(Promise.any(calls.slice(-1)), AggregateError);
  const codes = Promise.allSettled(calls);
  socket.destroy();
  const failures = (await codes).map((call) => call.status === 'rejected' && call.reason.code);
  assert.ok(failures.includes('busy') && failures.includes('disconnected'), failures.join());
});
