import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { CABLE } from '../harness/cable.ts';
import type { Device } from '../harness/device.ts';
import { guestHttp } from '../harness/guest.ts';
import { scenario } from '../harness/suite.ts';

const WAIT_MS = 60_000;
/** For a thousand characters. An emulated device shows 15 in a second. */
const LONG_TEXT_MS = 240_000;
/** A new compositor and browser, on a busy computer. */
const BACK_MS = 180_000;
/** Of input that nobody releases; the device does so after 5 s. */
const HELD_MS = 5000;
/** Without a wait for the browser's new pointer, one press of 17 was lost. */
const BUSY_ROUNDS = { container: 60, machine: 5 };
const TEXT = `a Z "quoted" 'text' <b>&amp; ü ß 漢字 😀 👩‍🚀 ё €`;
const TURNS = [
  { rotation: 0, scale: 1 },
  { rotation: 90, scale: 1.5 },
  { rotation: 180, scale: 2 },
  { rotation: 270, scale: 1 },
];
const AS_KIOSK = { user: 'kiosk' };

/** A page that keeps in `seen` what happened: `type place-or-key`, places as 0 to 100. It scrolls both ways. */
const PAGE = `<!doctype html><title>remote input</title>
<body style="margin:0;width:300vw;height:500vh;user-select:none">
<textarea id="text" style="position:fixed;left:40vw;top:40vh;width:20vw;height:20vh"></textarea>
<script>
  const seen = [];
  const place = ({ clientX, clientY }) => Math.round((clientX / innerWidth) * 100) + ',' + Math.round((clientY / innerHeight) * 100);
  const note = {
    ...Object.fromEntries(['mousedown', 'mouseup', 'click', 'dblclick', 'dragstart'].map((type) =>
      [type, (event) => type + event.button + ' ' + place(event)])),
    mousemove: (event) => 'mousemove ' + place(event),
    keydown: (event) => 'keydown ' + event.key + (event.shiftKey ? ' shift' : '') + (event.ctrlKey ? ' control' : ''),
    keyup: (event) => 'keyup ' + event.key,
    wheel: (event) => 'wheel ' + event.deltaX + ',' + event.deltaY,
  };
  for (const [type, text] of Object.entries(note)) addEventListener(type, (event) => seen.push(text(event)), true);
</script>`;

/** The API of the remote host, and what the page sees of it. */
class RemoteInput {
  readonly #device: Device;

  constructor(device: Device) {
    this.#device = device;
  }

  async request(...events: object[]): Promise<{ status: number; code: unknown }> {
    const { status, body } = await this.#device.http('POST', '/input/inject', { json: { events } });
    return { status, code: field(body, 'error.code') };
  }

  async do(...events: object[]): Promise<void> {
    assert.deepEqual(await this.request(...events), { status: 204, code: undefined });
  }

  /** What the page has seen since the last call of `forget`. */
  async seen(): Promise<string[]> {
    return String(await this.#device.runScript("return seen.join('\\n')")).split('\n');
  }

  async forget(): Promise<void> {
    await this.#device.runScript('seen.length = 0');
  }

  /** Waits until the page has seen all of these, in this order. */
  async waitForSeen(...wanted: string[]): Promise<void> {
    const isSeen = async () =>
      (await this.seen()).filter((one) => wanted.includes(one)).join() === wanted.join();
    await waitFor(isSeen, { timeoutMs: WAIT_MS, what: `the page to see ${wanted.join(', ')}` }).catch(
      async (error: unknown) => {
        throw new Error(`it saw ${(await this.seen()).join(', ')}`, { cause: error });
      },
    );
  }

  async value(): Promise<unknown> {
    return await this.#device.runScript("return document.querySelector('#text').value");
  }
}

const isRunning = async (device: Device) => (await device.shell.run('pgrep -x virtual-input')).code === 0;

export default scenario({
  title: 'a host clicks, scrolls and types on the screen, if that is switched on; a page cannot',
  needs: 'system',
  machine: 'shared',
  run: async ({ device, pages, test }) => {
    const remote = new RemoteInput(device);
    const configure = (patch: object) => device.act('PATCH', '/config', patch);
    const show = async () => {
      await device.act('POST', '/display/navigate', { url: pages.add(PAGE) });
      await device.waitForDisplay((state) => field(state, 'loading') === false, 'the page', BACK_MS);
    };
    const click = (x: number, y: number, more = {}) => ({ type: 'click', x, y, ...more });
    const focus = click(0.5, 0.5);
    await show();

    await test('it is off by default', async () => {
      assert.deepEqual(await remote.request(focus), { status: 503, code: 'remote_input_disabled' });
      assert.equal(await isRunning(device), false);
      const changed = await configure({ input: { remote: true } });
      assert.deepEqual(field(changed, 'applied'), { 'input.remote': 'live' });
    });

    await test('the first click arrives, and others at the corners', async () => {
      await remote.do(click(0.2, 0.7));
      await remote.waitForSeen('mousedown0 20,70', 'mouseup0 20,70', 'click0 20,70');
      await remote.forget();
      await remote.do(click(0, 0), click(1, 0), click(0, 1), click(1, 1, { button: 'middle' }));
      await remote.waitForSeen('mouseup0 0,0', 'mouseup0 100,0', 'mouseup0 0,100', 'mouseup1 100,100');
    });

    for (const { rotation, scale } of TURNS)
      await test(`rotated by ${rotation} degrees with scale ${scale}, a click arrives where it was asked for`, async () => {
        await configure({ display: { rotation, scale } });
        await device.waitForDisplay((state) => field(state, 'rotation') === rotation, 'the rotation');
        await waitFor(
          async () => {
            await remote.forget();
            await remote.do(click(0.2, 0.65));
            return (await remote.seen()).includes('click0 20,65');
          },
          { timeoutMs: WAIT_MS, what: 'a click at 20,65 in the page', intervalMs: 500 },
        );
      });
    await configure({ display: { rotation: null, scale: null } });

    await test('pressing, moving and releasing; the right button; a double click', async () => {
      await waitFor(
        async () => {
          await remote.forget();
          // In the part of the screen that the upright page did not cover.
          await remote.do(click(0.8, 0.3));
          return (await remote.seen()).includes('click0 80,30');
        },
        { timeoutMs: WAIT_MS, what: 'the page to be turned back', intervalMs: 500 },
      );
      await remote.forget();
      await remote.do({ type: 'move', x: 0.1, y: 0.1 }, { type: 'button', pressed: true });
      await remote.do({ type: 'move', x: 0.8, y: 0.3 }, { type: 'button', pressed: false });
      await remote.waitForSeen('mousedown0 10,10', 'mousemove 80,30', 'mouseup0 80,30');
      await remote.do(click(0.9, 0.9, { button: 'right' }), click(0.7, 0.8), click(0.7, 0.8));
      await remote.waitForSeen('mousedown2 90,90', 'mouseup2 90,90', 'dblclick0 70,80');
    });

    await test('the wheel scrolls by pixels', async () => {
      await device.runScript('scrollTo(0, 0); seen.length = 0');
      await remote.do({ type: 'move', x: 0.9, y: 0.1 }, { type: 'wheel', dy: 120 });
      await remote.waitForSeen('wheel 0,120');
      await remote.do({ type: 'wheel', dx: 30 });
      await remote.waitForSeen('wheel 30,0');
      const scrolled = async () =>
        String(await device.runScript('return [scrollX, scrollY].map(Math.round).join()'));
      await waitFor(async () => /^30,120$/.test(await scrolled()), {
        timeoutMs: WAIT_MS,
        what: 'the page to be scrolled',
      });
    });

    await test('any text arrives in a field, and keys edit it', async () => {
      await remote.do(focus, { type: 'text', text: TEXT });
      await waitFor(async () => (await remote.value()) === TEXT, {
        timeoutMs: WAIT_MS,
        what: 'the text',
      }).catch(async (error: unknown) => {
        throw new Error(`the field has ${String(await remote.value())}`, { cause: error });
      });
      await remote.do({ type: 'key', key: 'Control', pressed: true }, { type: 'key', key: 'Home' });
      await remote.do({ type: 'key', key: 'Shift', pressed: true }, { type: 'key', key: 'End' });
      // Modifiers that are held change no text.
      await remote.do({ type: 'text', text: 'One\ntwo' });
      await waitFor(async () => (await remote.value()) === 'One\ntwo', {
        timeoutMs: WAIT_MS,
        what: 'the new text',
      });
      await remote.forget();
      const release = ['Shift', 'Control'].map((key) => ({ type: 'key', key, pressed: false }));
      await remote.do(...release, { type: 'key', key: 'ArrowLeft' }, { type: 'key', key: 'Backspace' });
      await remote.waitForSeen('keyup Shift', 'keyup Control', 'keydown ArrowLeft', 'keydown Backspace');
      assert.equal(await remote.value(), 'One\nto');
      const long = '字'.repeat(500) + 'ab'.repeat(250);
      await remote.do({ type: 'key', key: 'Tab' }, focus, { type: 'text', text: long });
      await waitFor(async () => String(await remote.value()).includes(long), {
        timeoutMs: LONG_TEXT_MS,
        what: 'the long text',
      });
    });

    await test('what is held is released: after 5 s, with the program, and when it is switched off', async () => {
      const hold = [
        { type: 'move', x: 0.1, y: 0.1 },
        { type: 'button', pressed: true },
        { type: 'key', key: 'Shift', pressed: true },
      ];
      const released = ['keydown Shift shift', 'keyup Shift'];
      await remote.forget();
      const began = performance.now();
      await remote.do(...hold);
      await remote.waitForSeen('mousedown0 10,10', 'mouseup0 10,10');
      await remote.waitForSeen(...released);
      assert.ok(performance.now() - began >= HELD_MS, String(performance.now() - began));
      await remote.forget();
      await remote.do(...hold);
      await device.shell.ok('pkill -KILL -x virtual-input');
      await remote.waitForSeen('mousedown0 10,10', 'mouseup0 10,10');
      await remote.waitForSeen(...released);
      await remote.forget();
      await remote.do(...hold);
      const held = performance.now();
      await configure({ input: { remote: false } });
      await remote.waitForSeen('mousedown0 10,10', 'mouseup0 10,10');
      await remote.waitForSeen(...released);
      assert.ok(device.isEmulated || performance.now() - held < HELD_MS, String(performance.now() - held));
      assert.equal((await remote.request(focus)).code, 'remote_input_disabled');
      await waitFor(async () => !(await isRunning(device)), {
        timeoutMs: WAIT_MS,
        what: 'the program to end',
      });
    });

    await test('the first press of new devices arrives on a busy device, too', async () => {
      await device.shell.ok(
        `systemd-run --quiet --unit=busy sh -c 'while :; do :; done & while :; do :; done'`,
      );
      try {
        for (let round = 0; round < BUSY_ROUNDS[device.isEmulated ? 'machine' : 'container']; round += 1) {
          await configure({ input: { remote: true } });
          await remote.forget();
          const x = round % 2 === 0 ? 10 : 20;
          await remote.do(click(x / 100, 0.8));
          await remote.waitForSeen(...['mousedown0', 'mouseup0', 'click0'].map((type) => `${type} ${x},80`));
          await configure({ input: { remote: false } });
        }
      } finally {
        await device.shell.run('systemctl stop busy');
      }
    });

    await test('it works again after the compositor has restarted', async () => {
      await configure({ input: { remote: true } });
      await remote.do(focus);
      const browser = await device.shell.ok('pgrep -o -x vitrine-browser');
      await device.shell.ok('systemctl restart vitrine-kiosk');
      await waitFor(
        async () => {
          const { code, output } = await device.shell.run('pgrep -o -x vitrine-browser');
          return code === 0 && output.trim() !== browser.trim();
        },
        { timeoutMs: BACK_MS, what: 'another browser' },
      );
      await show();
      await remote.do(click(0.3, 0.3));
      // The page of a new browser is slow, and keys overtake clicks that it has not handled for seconds.
      await remote.waitForSeen('click0 30,30');
      await remote.do(focus, { type: 'text', text: 'again' });
      await waitFor(async () => (await remote.value()) === 'again', { timeoutMs: WAIT_MS, what: 'the text' });
    });

    await test('neither the displayed page nor its user can inject input', async () => {
      await remote.forget();
      const events = [click(0.11, 0.11)];
      const addresses = ['127.0.0.1', '[::1]', '10.55.77.1', CABLE.device, '10.0.2.15'];
      const urls = addresses.map((address) => `http://${address}/api/v1/input/inject`);
      const answers = await guestHttp(
        device,
        AS_KIOSK,
        urls.map((url) => ({ method: 'POST', url, json: { events } })),
        4000,
      );
      for (const [i, { failure }] of answers.entries()) assert.ok(failure !== undefined, urls[i]);
      const tried = await device.runScript(`
        const body = ${JSON.stringify(JSON.stringify({ events }))};
        const tries = ${JSON.stringify(urls)}.flatMap((url) => [
          fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
          fetch(url, { method: 'POST', body, mode: 'no-cors' }),
        ]);
        const done = await Promise.allSettled(tries);
        return done.map(({ status }) => status).join();`);
      assert.match(String(tried), /^rejected(?:,rejected)*$/);
      for (const headers of [
        { origin: 'http://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
      ])
        assert.equal((await device.http('POST', '/input/inject', { json: { events }, headers })).status, 403);
      // A later click shows that no earlier one arrived.
      await remote.do(click(0.3, 0.3));
      await remote.waitForSeen('click0 30,30');
      assert.ok(!(await remote.seen()).includes('click0 11,11'));
    });

    await configure({ input: null });
    await device.showWaiting();
  },
});
