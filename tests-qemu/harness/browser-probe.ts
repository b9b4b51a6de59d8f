/**
 * Runs in the guest in place of the agent: drives the real browser with the agent's own end of the protocol, and prints
 * one line of JSON for each check. `node browser-probe.mjs SOCKET`
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createLogger } from '../../agent/src/base/logger.ts';
import type { PageEvent } from '../../agent/src/resources/page/ports.ts';
import { BrowserSocket } from '../../agent/src/system/browser/socket.ts';
import { SETTINGS } from '../../testing/fake-browser.ts';
import { waitFor } from '../../testing/wait.ts';
import { check } from './browser-probe-check.ts';
import { checkDevices } from './browser-probe-devices.ts';
import { CLIENT, servePages } from './browser-probe-pages.ts';

const MIB = 1024 * 1024;
/** Of anything the browser does, on a guest without KVM. */
const WAIT_MS = 60_000;
const SCRIPT_MS = 30_000;
/** Sends of the page that floods. */
const FLOOD = 100_000;
/** Calls that the browser refuses, each of which costs more than a message; all of them fit into the script's time. */
const LOOPS = 10_000;
/** Size of the messages that the browser holds for an agent without credits. */
const WINDOW = 64;

const { server, origin } = await servePages();
const browser = new BrowserSocket(process.argv[2] ?? '', createLogger('info'));
const events: PageEvent[] = [];
browser.on(['channel', 'message'], (event) => events.push(event));
const messages = () => events.flatMap((event) => (event.event === 'message' ? [event] : []));

async function show(path: string, host = origin): Promise<void> {
  const uri = host + path;
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  const load = browser.load(uri);
  const stop = browser.on(['load'], (event) => {
    if (event.load === load.id && event.state === 'finished') resolve();
  });
  await load.accepted;
  await finished;
  stop();
  events.length = 0;
}

async function run(body: string): Promise<unknown> {
  const result = await browser.evaluate(body, SCRIPT_MS);
  if ('exception' in result) throw new Error(result.exception.message);
  return result.value;
}

async function exception(body: string): Promise<unknown> {
  const result = await browser.evaluate(body, SCRIPT_MS);
  return 'exception' in result ? result.exception : assert.fail('no exception');
}

/** Opens the channel of the shown page; its number. */
async function open(): Promise<number> {
  await run('open()');
  return await opened();
}

async function opened(): Promise<number> {
  const isOpen = (event: PageEvent) => event.event === 'channel' && event.open;
  const found = await waitFor(() => events.find(isOpen), {
    timeoutMs: WAIT_MS,
    what: 'the channel to open',
    intervalMs: 5,
  });
  return found.channel;
}

async function received(count: number): Promise<void> {
  await waitFor(() => messages().length >= count, {
    timeoutMs: WAIT_MS,
    what: `${count} messages (${messages().length} came)`,
    intervalMs: 5,
  });
}

/** Memory that only this process has, in MiB. */
function privateMemory(): number {
  const status = readFileSync(`/proc/${browser.pid}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

await check('the browser connects and shows a page', async () => {
  await browser.start();
  await waitFor(() => browser.connected, { timeoutMs: WAIT_MS, what: 'the browser' });
  await browser.configure(SETTINGS);
  await show('/plain');
});

await check('a script answers JSON, and awaits promises', async () => {
  assert.equal(await run('return 1 + 1'), 2);
  assert.equal(await run('const after = Promise.resolve(7);\nreturn await after // comment'), 7);
  assert.equal(await run('return new Promise((resolve) => setTimeout(resolve, 20, "late"))'), 'late');
  assert.deepEqual(await run('return { b: [1, null, undefined], a: "\\u0000é😀", d: new Date(0) }'), {
    b: [1, null, null],
    a: '\0é😀',
    d: '1970-01-01T00:00:00.000Z',
  });
  assert.equal(await run('return document.title'), '/plain');
  assert.equal(await run('let unused = 1'), null);
  assert.equal(await run('return () => 1'), null);
});

await check('an exception has its message and its place in the script', async () => {
  const thrown = await exception('  null.member');
  assert.deepEqual(thrown, {
    message: "TypeError: null is not an object (evaluating 'null.member')",
    line: 1,
    column: 7,
  });
  assert.deepEqual(await exception('const a = 1;\n\n  null.member'), { ...Object(thrown), line: 3 });
  assert.deepEqual(await exception('await Promise.reject("no")'), {
    message: 'no',
    line: null,
    column: null,
  });
  assert.partialDeepStrictEqual(await exception('throw { toString() { throw 1 } }'), { line: null });
  assert.partialDeepStrictEqual(await exception('\n\nlet let'), { line: 3, column: null });
  const cyclic = await exception('const a = {}; a.a = a; return a');
  assert.match(String(Object(cyclic).message), /cyclic/);
});

await check('4 MiB of result pass, one byte more does not', async () => {
  const longest = await run(`return "x".repeat(${4 * MIB - 2})`);
  assert.equal(String(longest).length, 4 * MIB - 2);
  assert.equal(String(await run(`return "é".repeat(${2 * MIB - 1})`)).length, 2 * MIB - 1);
  await assert.rejects(run(`return "x".repeat(${4 * MIB - 1})`), { code: 'too_large' });
  await assert.rejects(run(`return "é".repeat(${2 * MIB})`), { code: 'too_large' });
});

await check('a script ends by its timeout, a navigation, or the end of the web process', async () => {
  await assert.rejects(browser.evaluate('await new Promise(() => 0)', 50), { code: 'timeout' });
  const left = assert.rejects(run('await new Promise(() => 0)'), { code: 'interrupted' });
  await show('/strict');
  await left;
  const killed = assert.rejects(run('for (;;);'), { code: 'interrupted' });
  await browser.terminatePage();
  await killed;
  await assert.rejects(run('return 1'), { code: 'no_page' });
});

await check('eight scripts run at once, the ninth is refused', async () => {
  await show('/plain');
  const waiting = Array.from({ length: 8 }, () => run('return new Promise((done) => { onclick = done; })'));
  const settled = Promise.allSettled(waiting);
  await assert.rejects(run('return 1'), { code: 'busy' });
  await show('/plain');
  assert.ok((await settled).every(({ status }) => status === 'rejected'));
});

await check('strict and hostile pages do not break scripts', async () => {
  await show('/strict');
  assert.deepEqual(await run('return [1, { a: "b" }]'), [1, { a: 'b' }]);
  await show('/hostile');
  assert.deepEqual(await run('return [1, { a: "b" }]'), [1, { a: 'b' }]);
  assert.partialDeepStrictEqual(await exception('throw new TypeError("own")'), { line: 1 });
});

await check('messages go both ways, in order, with the origin of the committed URI', async () => {
  await show('/plain');
  const channel = await open();
  browser.credit(channel, WINDOW);
  await waitFor(() => run('return take({ n: 0 })'), { timeoutMs: WAIT_MS, what: 'the first to be taken' });
  await run('history.pushState(null, "", "/elsewhere"); take([1]); take("2")');
  await received(3);
  assert.deepEqual(
    messages().map(({ data }) => JSON.parse(data)),
    [{ n: 0 }, [1], '2'],
  );
  assert.ok(messages().every((event) => event.origin === origin && event.channel === channel));
  await Promise.all([1, 2, 3].map((n) => browser.send(channel, JSON.stringify({ n }))));
  assert.deepEqual(await run('return got'), [{ n: 1 }, { n: 2 }, { n: 3 }]);
  assert.equal(await run('return navigator.userActivation.hasBeenActive'), true, 'scripts count as use');
});

await check('a message of 1 MiB passes either way, a longer one does not', async () => {
  await show('/plain');
  const channel = await open();
  browser.credit(channel, 1);
  const longest = `"x".repeat(${MIB - 2})`;
  await waitFor(() => run(`return take(${longest})`), {
    timeoutMs: WAIT_MS,
    what: 'the message to be taken',
  });
  assert.equal(await run(`return take(${longest} + "x")`), false);
  assert.equal(await run(`return take("é".repeat(${MIB / 2}))`), false);
  await received(1);
  assert.equal(messages()[0]?.data.length, MIB);
  await browser.send(channel, JSON.stringify('x'.repeat(MIB - 2)));
  assert.equal(await run('return got[0].length'), MIB - 2);
  await assert.rejects(browser.send(channel, JSON.stringify('x'.repeat(MIB - 1))), { code: 'too_large' });
});

await check('a page that floods keeps its messages, and the link and the browser go on', async () => {
  await show('/plain');
  const channel = await open();
  const before = privateMemory();
  await run(`
    const pad = 'x'.repeat(1000);
    const more = () => take({ n: taken, pad }) && ++taken;
    addEventListener('vitrine-ready', () => { while (more()); });
    for (let i = 0; i < ${FLOOD}; i++) more();`);
  assert.equal(await run('return taken'), WINDOW);
  assert.equal(messages().length, 0);
  for (let count = 0; count < 4 * WINDOW; count += WINDOW) {
    browser.credit(channel, WINDOW);
    await received(count + WINDOW);
    assert.equal(await browser.ping(WAIT_MS), true);
  }
  assert.equal(messages().length, 4 * WINDOW, 'more came than credits were given');
  assert.deepEqual(
    messages().map(({ data }) => JSON.parse(data).n),
    Array.from({ length: 4 * WINDOW }, (_, n) => n),
  );
  const grown = privateMemory() - before;
  assert.ok(grown < 64, `the browser grew by ${grown} MiB`);
});

await check('a page that opens, closes and is refused in loops does not break the link', async () => {
  await show('/plain');
  const start = performance.now();
  await run(`window.toggle = () => { open(); dispatchEvent(new CustomEvent('vitrine-close')); };
    for (let i = 0; i < ${LOOPS}; i++) toggle(); setInterval(toggle, 1);
    for (let i = 0; i < 200; i++) window.open('about:blank');`);
  assert.equal(await browser.ping(WAIT_MS), true);
  await run('return new Promise((resolve) => setTimeout(resolve, 1500))');
  // Opening and closing, two events, takes 100 ms at least.
  const most = (performance.now() - start) / 50 + 10;
  assert.ok(events.length <= most, `${events.length} events`);
});

await check('a channel ends with its document, and with the web process', async () => {
  await show('/plain');
  const channel = await open();
  const closed = () => events.some((event) => event.event === 'channel' && !event.open);
  await run("addEventListener('vitrine-message', () => { for (;;); })");
  const unread = assert.rejects(browser.send(channel, '1'), { code: 'channel_closed' });
  await browser.terminatePage();
  await unread;
  await waitFor(closed, { timeoutMs: WAIT_MS, what: 'the channel to close' });
  await show('/plain');
  await open();
  await browser.load(`${origin}/strict`).accepted;
  await waitFor(closed, { timeoutMs: WAIT_MS, what: 'the channel to close' });
  await assert.rejects(browser.send(channel, '1'), { code: 'channel_closed' });
});

await check(
  'frames and documents with an opaque origin have no channel, and no page sees the handler',
  async () => {
    await show('/framed');
    const told = await run(
      "const frame = document.querySelector('iframe'); return new Promise((done) => { onmessage = ({ data }) => done(data); frame.src += '?'; })",
    );
    assert.deepEqual(told, [false, 'undefined']);
    assert.equal(await run('return typeof webkit'), 'undefined');
    const isIgnored = "return dispatchEvent(new CustomEvent('vitrine-open', { cancelable: true }))";
    await show('/sandboxed');
    assert.deepEqual([await run(isIgnored), await run('return take(1)')], [true, false]);
    await show(`data:text/html,${CLIENT}`, '');
    assert.deepEqual([await run(isIgnored), await run('return take(1)')], [true, false]);
    assert.deepEqual(events, []);
  },
);

await check('dialogs are closed at once', async () => {
  await show('/plain');
  assert.deepEqual(await run('return [alert(1), confirm(2), prompt(3)]'), [null, false, null]);
});

await check('a screenshot comes in parts, and a ping after a long result overtakes it', async () => {
  await show('/noise');
  const png = await browser.screenshot();
  assert.ok(png.length > MIB, `${png.length} bytes`);
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  const order: string[] = [];
  const long = run(`return "x".repeat(${4 * MIB - 2})`).then(() => order.push('result'));
  await Promise.all([long, browser.ping(WAIT_MS).then(() => order.push('ping'))]);
  assert.deepEqual(order, ['ping', 'result']);
});

await check('an agent that restarts gets the open channel and the held messages', async () => {
  await show('/plain');
  const channel = await open();
  await waitFor(() => run('return take("kept")'), { timeoutMs: WAIT_MS, what: 'the message to be taken' });
  const running = Promise.allSettled(
    Array.from({ length: 8 }, () => run('return new Promise((done) => { onclick = done; })')),
  );
  await browser.stop();
  await running;
  events.length = 0;
  await browser.start();
  assert.equal(await opened(), channel);
  browser.credit(channel, 1);
  await received(1);
  assert.partialDeepStrictEqual(messages()[0], { channel, origin, data: '"kept"' });
  assert.equal(await run('return 1'), 1, 'scripts of the lost connection still count');
});

await check('a load of an earlier connection is not taken for one of this connection', async () => {
  const states: string[] = [];
  const stop = browser.on(['load'], ({ load, state }) => states.push(`${state} ${load}`));
  const has = (state: string) =>
    waitFor(() => states.includes(state), { timeoutMs: WAIT_MS, what: `a load that is ${state}` });
  const { id, accepted } = browser.load(`${origin}/slow`);
  await accepted;
  await has(`committed ${id}`);
  await browser.stop();
  await browser.start();
  await waitFor(() => browser.connected, { timeoutMs: WAIT_MS, what: 'the browser' });
  await fetch(`${origin}/release`);
  await has('finished 0');
  assert.ok(!states.includes(`finished ${id}`));
  stop();
});

await checkDevices({ browser, origin, show, run });

await browser.stop();
server.close();
server.closeAllConnections();
