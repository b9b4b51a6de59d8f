/** Scripts and messages of the page. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import {
  BrowserStage,
  type Command,
  HELLO,
  send,
  sendInParts,
  until,
} from '../../../../testing/browser-stage.ts';

const ORIGIN = 'http://shop.example';
const OPENED = { event: 'channel', channel: 4, open: true, origin: ORIGIN };
const OPEN = { ...OPENED, kind: 'page' };
const MESSAGE = { event: 'message', channel: 4, origin: ORIGIN };

let stage: BrowserStage;
beforeEach(async () => {
  stage = await BrowserStage.create();
  await stage.browser.start();
});
afterEach(() => stage.close());

/** Opens the channel, with credits. */
async function openChannel(socket: Socket): Promise<void> {
  send(socket, OPEN);
  await until('the channel', () => pageEvents().length === 1);
  stage.browser.credit(4, 64);
}

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

test('whatever a page makes of a result or an exception, it is one of them', async () => {
  const answers: { given: object; got: object }[] = [];
  const at = (message: string, line: number | null = null, column: number | null = null) => ({
    exception: { message, line, column },
  });
  const textless = at('an exception without a text');
  const deepest = `${'['.repeat(200)}${']'.repeat(200)}`;
  for (const [given, got] of [
    [{ value: deepest }, { value: JSON.parse(deepest) }],
    [{ value: `[${deepest}]` }, at('The result is nested deeper than 200 levels.')],
    [{ value: '['.repeat(500_000) }, at('The result is nested deeper than 200 levels.')],
    [{ value: 'undefined' }, at('The result is not JSON.')],
    [{ value: '' }, at('The result is not JSON.')],
    [{ value: 5 }, at('The page replaced the result.')],
    [{}, at('The page replaced the result.')],
  ] as const) {
    answers.push({ given, got });
  }
  for (const [json, got] of [
    ['{"message":"m","line":2,"column":"x"}', at('m', 2)],
    ['{"message":"m","line":null,"column":null}', at('m')],
    ['{"message":"m","line":1,"column":-20}', at('m', 1)],
    ['{"message":"m","line":1.5,"column":1e300}', at('m')],
    ['{"message":"cut \\ud83d","line":1}', at('cut \ufffd', 1)],
    [JSON.stringify({ message: 'x'.repeat(100_000) }), at('x'.repeat(16 * 1024))],
    ['{"message":{"a":1},"line":1,"column":2}', { exception: { ...textless.exception, line: 1, column: 2 } }],
    ['{"line":1', textless],
    ['null', textless],
    ['[]', textless],
    ['"text"', textless],
    [`{"message":${'['.repeat(100_000)}`, textless],
  ] as const) {
    answers.push({ given: { exception: json }, got });
  }
  let next: object | undefined;
  await stage.greet(() => ({ ok: true, ...next }));
  for (const { given, got } of answers) {
    next = given;
    assert.deepEqual(await stage.browser.evaluate('x', 5000), got, JSON.stringify(given).slice(0, 200));
  }
});

test('a script is late soon after its time, if the browser does not answer', async () => {
  await stage.greet();
  const start = performance.now();
  await assert.rejects(stage.browser.evaluate('x', 200), { code: 'timeout' });
  const took = performance.now() - start;
  assert.ok(took > 1000 && took < 5000, `${took} ms`);
});

test('an answer in parts is put together, also with other messages in between', async () => {
  const socket = await stage.greet();
  const result = stage.browser.evaluate('x', 60_000);
  for (const [part, data] of ['["a', 'b', '"]'].entries()) send(socket, { body: 2, part, data });
  send(socket, { event: 'painted', load: 1 });
  send(socket, { id: 1, ok: true, field: 'value', body: 2, parts: 3 });
  assert.deepEqual(await result, { value: ['ab'] });
  assert.equal(stage.events.at(-1)?.event, 'painted');
});

test('the page opens its channel, sends within its credits, and is left', async () => {
  const commands: Command[] = [];
  const socket = await stage.greet((command) => {
    commands.push(command);
    return { ok: true };
  });
  await openChannel(socket);
  send(socket, { ...MESSAGE, data: '{\r\n"n":1}' });
  send(socket, { ...MESSAGE, channel: 3, data: '"of an earlier page"' });
  sendInParts(socket, MESSAGE, 'data', ['"lo', 'ng"']);
  await until('two messages', () => pageEvents().length === 3);
  await stage.browser.send(4, JSON.stringify({ text: '</script>\u2028' }));
  send(socket, { ...OPEN, open: false });
  await until('the close', () => pageEvents().length === 4);
  assert.deepEqual(pageEvents(), [
    OPENED,
    { ...MESSAGE, data: '{  "n":1}' },
    { ...MESSAGE, data: '"long"' },
    { ...OPENED, open: false },
  ]);
  assert.deepEqual(
    commands.map(({ id, ...fields }) => fields),
    [
      { command: 'credit', channel: 4, size: 64 },
      { command: 'message', channel: 4, data: JSON.stringify({ text: '</script>\u2028' }) },
    ],
  );
});

test('a message that is not JSON, or too deep, is dropped and its credit given back', async () => {
  const credits: unknown[] = [];
  const socket = await stage.greet(({ command, channel, size }) => {
    credits.push([command, channel, size]);
    return { ok: true };
  });
  await openChannel(socket);
  const deepest = `${'['.repeat(200)}${']'.repeat(200)}`;
  send(socket, { ...MESSAGE, data: '{' });
  send(socket, { ...MESSAGE, data: `[${deepest}]` });
  send(socket, { ...MESSAGE, data: deepest });
  await until('the credits', () => credits.length === 3);
  await until('the message', () => pageEvents().length === 2);
  assert.deepEqual(credits, [
    ['credit', 4, 64],
    ['credit', 4, 1],
    ['credit', 4, 1],
  ]);
  assert.deepEqual(pageEvents(), [OPENED, { ...MESSAGE, data: deepest }]);
});

test('a channel ends with the connection, and the next browser reports its own', async () => {
  const socket = await stage.greet();
  send(socket, OPEN);
  await until('the channel', () => pageEvents().length === 1);
  socket.destroy();
  await until('the end', () => stage.events.at(-1)?.event === 'disconnected');
  assert.deepEqual(pageEvents(), [OPENED, { ...OPENED, open: false }]);
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
