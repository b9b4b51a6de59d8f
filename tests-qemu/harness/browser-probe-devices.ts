/** Checks of the channel for peripherals: which documents get it and its script, and when it ends. */
import assert from 'node:assert/strict';
import type { PageEvent } from '../../agent/src/resources/page/ports.ts';
import type { DeviceChannelEvent } from '../../agent/src/resources/peripherals/ports.ts';
import type { BrowserSocket } from '../../agent/src/system/browser/socket.ts';
import { SETTINGS } from '../../testing/fake-browser.ts';
import { waitFor } from '../../testing/wait.ts';
import { check } from './browser-probe-check.ts';

const WAIT_MS = 60_000;
/** More than the browser takes of one channel at a time. */
const MESSAGES = 100;
const AT_ONCE = 16;
const NAVIGATIONS = 6;
/** In place of the interfaces: keeps what it is told. Its last line ends without a line end, in a comment. */
const SCRIPT = `const told = [];
const tell = (name, detail) => !dispatchEvent(new CustomEvent('vitrine-devices-' + name, { cancelable: true, detail }));
for (const name of ['ready', 'message', 'closed']) {
  addEventListener('vitrine-devices-' + name, ({ detail }) => told.push(detail === null ? name : detail));
}
window.device = { told, tell, isEarly: document.scripts.length === 0 }; // all`;
/** What a document has of it: the script, and whether anything listens. */
const PARTS = `typeof device + ' ' + dispatchEvent(new CustomEvent('vitrine-devices-open', { cancelable: true }))`;
const NOTHING = 'undefined true';
const EVERYTHING = 'object false';

export interface ProbeStage {
  browser: BrowserSocket;
  /** Of the probe's pages, which are also those of `localhost`. */
  origin: string;
  show(path: string, host?: string): Promise<void>;
  run(body: string): Promise<unknown>;
}

export async function checkDevices({ browser, origin, show, run }: ProbeStage): Promise<void> {
  const events: (DeviceChannelEvent | PageEvent)[] = [];
  browser.on(['device_channel', 'device_message', 'channel'], (event) => events.push(event));
  const other = origin.replace('127.0.0.1', 'localhost');

  const state = async (isOpen: boolean, from: number) =>
    await waitFor(
      () =>
        events
          .slice(from)
          .flatMap((event) => (event.event === 'device_channel' && event.open === isOpen ? [event] : []))[0],
      { timeoutMs: WAIT_MS, what: `the channel to be ${isOpen ? 'open' : 'closed'}`, intervalMs: 2 },
    );
  /** Opens the channel of the shown page; its number. */
  const open = async (): Promise<number> => {
    const from = events.length;
    assert.equal(await run("return device.tell('open')"), true);
    const opened = await state(true, from);
    assert.equal(opened.origin, origin);
    return opened.channel;
  };
  const heard = () => events.flatMap((event) => (event.event === 'device_message' ? [event.data] : []));
  const isTold = (what: string) =>
    waitFor(() => run(`return device.told.includes(${JSON.stringify(what)})`), { timeoutMs: WAIT_MS, what });

  await check('only pages of a listed origin get the script and the channel for devices', async () => {
    await show('/plain');
    assert.equal(await run(`return ${PARTS}`), NOTHING);
    browser.serveDevices([origin, 'null', `${other}/`, '"]; window.broken = 1; ["'], SCRIPT);
    assert.equal(await run(`return ${PARTS}`), NOTHING, 'a document from before');
    await show('/plain');
    assert.equal(await run('return device.isEarly && typeof broken'), 'undefined');
    assert.equal(await run(`return ${PARTS}`), EVERYTHING);
    await show('/plain', other);
    assert.equal(await run(`return ${PARTS}`), NOTHING);
    await show('/sandboxed');
    assert.equal(await run(`return ${PARTS}`), NOTHING);
    browser.serveDevices([], SCRIPT);
    await show('/plain');
    assert.equal(await run(`return ${PARTS}`), NOTHING);
  });

  await check('frames have no channel for devices, and none of its script', async () => {
    browser.serveDevices([origin, other], SCRIPT);
    await show('/plain');
    const inFrame = (host: string) =>
      run(`const frame = document.createElement('iframe');
        frame.src = ${JSON.stringify(`${host}/parts`)};
        return new Promise((done) => { onmessage = ({ data }) => done(data); document.body.append(frame); })`);
    assert.equal(await inFrame(origin), NOTHING);
    assert.equal(await inFrame(other), NOTHING);
  });

  await check('both channels are open at a time, and messages keep their order and channel', async () => {
    browser.serveDevices([origin], SCRIPT);
    await show('/strict');
    assert.equal(await run(`return ${PARTS}`), EVERYTHING, 'under a strict content security policy');
    await show('/plain');
    const channel = await open();
    await isTold('ready');
    const from = events.length;
    await run('open()');
    const page = await waitFor(() => events.slice(from).find(({ event }) => event === 'channel'), {
      timeoutMs: WAIT_MS,
      what: 'the channel of the page',
    });
    assert.ok(page.channel > channel);
    await run("device.told.length = 0; device.tell('send', '1'); device.tell('send', '[2]')");
    assert.deepEqual(heard(), [], 'without credits');
    browser.credit(page.channel, 64);
    browser.credit(channel, 1);
    await waitFor(() => heard().length > 0, { timeoutMs: WAIT_MS, what: 'a message' });
    assert.equal(await browser.ping(WAIT_MS), true);
    assert.deepEqual(heard(), ['1'], 'with one credit');
    browser.credit(channel, 1);
    await waitFor(() => heard().length > 1, { timeoutMs: WAIT_MS, what: 'the other message' });
    assert.deepEqual(heard(), ['1', '[2]']);
    for (let n = 0; n < MESSAGES; n += AT_ONCE) {
      const texts = Array.from({ length: AT_ONCE }, (_, at) => String(n + at));
      await Promise.all(texts.map((text) => browser.send(channel, text)));
      await browser.send(page.channel, String(n));
    }
    assert.equal(await run('return device.told.every((text, n) => text === String(n))'), true);
    assert.ok(Number(await run('return device.told.length')) >= MESSAGES);
    assert.equal(await run('return got.length'), Math.ceil(MESSAGES / AT_ONCE));
  });

  await check('an agent that restarts gets the channel of the page, and a new one for devices', async () => {
    browser.serveDevices([origin], SCRIPT);
    await show('/plain');
    const channel = await open();
    await isTold('ready');
    const isOpenPage = (from: number) =>
      waitFor(() => events.slice(from).some((event) => event.event === 'channel' && event.open), {
        timeoutMs: WAIT_MS,
        what: 'the channel of the page',
      });
    const from = events.length;
    await run('open()');
    await isOpenPage(from);
    await run("device.tell('send', '\"held\"')");
    const heardBefore = heard().length;
    const later = events.length;
    await browser.stop();
    await browser.start();
    await isOpenPage(later);
    await isTold('closed');
    assert.ok(!events.slice(later).some((event) => event.event === 'device_channel' && event.open));
    const next = await open();
    assert.ok(next > channel);
    browser.credit(next, 64);
    assert.equal(await browser.ping(WAIT_MS), true);
    assert.equal(heard().length, heardBefore, 'a message of the channel before');
  });

  await check(
    'a navigation closes the channel for devices, and so does a list without the origin',
    async () => {
      await show('/plain');
      const first = await open();
      let from = events.length;
      await show('/plain');
      assert.equal((await state(false, from)).channel, first);
      await assert.rejects(browser.send(first, '1'), { code: 'channel_closed' });
      const second = await open();
      await isTold('ready');
      await run(`addEventListener('vitrine-devices-message', () => { const end = Date.now() + 1000; while (Date.now() < end); });
      device.tell('send', '"held"')`);
      from = events.length;
      const unread = assert.rejects(browser.send(second, '1'), { code: 'channel_closed' });
      browser.serveDevices([other], SCRIPT);
      await Promise.all([unread, state(false, from)]);
      await isTold('closed');
      assert.equal(await run(`return ${PARTS}`), EVERYTHING, 'the document keeps its script');
      assert.equal(await browser.ping(WAIT_MS), true);
      assert.deepEqual(
        events.slice(from).filter(({ event }) => event !== 'channel').length,
        1,
        'nothing but the close',
      );
      browser.serveDevices([origin], SCRIPT);
      const third = await open();
      browser.credit(third, 1);
      await run("device.tell('close')");
      await state(false, from + 2);
      browser.serveDevices([], '');
    },
  );

  await check('a document hears nothing of the channel of the one before', async () => {
    browser.serveDevices([origin], SCRIPT);
    for (let n = 0; n < NAVIGATIONS; n += 1) {
      await show(`/plain?${n}`);
      // Whatever comes for a document is there before a message that is sent later.
      const channel = await open();
      await browser.send(channel, '1');
      assert.deepEqual(await run('return device.told'), ['ready', '1']);
    }
  });

  await check(
    'a browser that starts gets the list before its view, and the first page has the channel',
    async () => {
      browser.serveDevices([origin], SCRIPT);
      const { promise: connected, resolve } = Promise.withResolvers<void>();
      const stop = browser.on(['connected'], () => resolve());
      // It may end before its answer is sent.
      await browser.quit().catch(() => undefined);
      await connected;
      stop();
      await browser.configure(SETTINGS);
      await show('/plain');
      assert.equal(await run(`return ${PARTS}`), EVERYTHING);
      browser.serveDevices([], '');
    },
  );
}
