/** Tests of the notice above the page, by the pixels of the compositor's output. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { field } from '../../testing/field.ts';
import { type Colour, colourAt, near, type Picture } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from './device.ts';
import { DrivenBrowser } from './driven-browser.ts';
import type { ScenarioContext } from './suite.ts';
import { LEFT_BUTTON, VncClient } from './vnc.ts';

/** Behind the text (browser/src/canvas.h). */
const BAR: Colour = [27, 30, 35];
const GREEN: Colour = [0, 170, 102];
const BLUE: Colour = [20, 90, 190];
/** The part of the screen's height that the bar has (browser/src/notice.c). */
const SHARE = 1 / 8;
/** Of the width on each side, where no text is. */
const MARGIN = 0.04;
const WAIT_MS = 60_000;
/** Between two user input events: libinput drops a press within 25 ms of a release as a bouncing switch. */
const GAP_MS = 60;
/** Where the on-screen keyboard has its t. */
const T_KEY = [0.45, 0.65] as const;
const TEXT = 'Type 123456 on the keyboard “K380”, then Enter';

/** Covers everything by every means that a page has, and turns blue when it gets a touch or click above its field. */
const COVER = `<!doctype html><title>cover</title><style>
  * { margin: 0 } dialog, div { position: fixed; inset: 0; width: 100vw; height: 100vh; max-width: none; max-height: none;
    border: 0; z-index: 2147483647; background: var(--colour) } :root { --colour: #00aa66 }
  input { position: absolute; left: 0; font-size: 40px; width: 500px }</style>
  <body style="background: var(--colour)"><div></div><dialog><div><input></div></dialog><script>
  document.querySelector('dialog').showModal();
  // There also when the on-screen keyboard makes the page smaller.
  document.querySelector('input').style.top = innerHeight / 2 + 'px';
  for (const type of ['pointerdown', 'mousedown', 'touchstart', 'click', 'wheel'])
    addEventListener(type, ({ target }) => {
      if (target.localName !== 'input') document.documentElement.style.setProperty('--colour', '#145abe');
    }, true);
</script>`;

/** What is wrong with the bar in a picture of the screen; undefined if it is there, with a text inside of it. */
function wrongBar(picture: Picture): string | undefined {
  const { width, height } = picture;
  const bottom = Math.floor(height * SHARE);
  let letters = 0;
  for (let y = 0; y < bottom; y++) {
    for (let x = 0; x < width; x++) {
      const colour = colourAt(picture, (x + 0.5) / width, (y + 0.5) / height);
      if (near(colour, BAR)) continue;
      if (x < width * MARGIN || x >= width * (1 - MARGIN) || y < 2 || y >= bottom - 2)
        return `${colour} at ${x}, ${y} of ${width} × ${height}`;
      if (Math.min(...colour) > 100) letters += 1;
    }
  }
  return letters > 0 ? undefined : 'there is no text in it';
}

/** Waits until there is a notice on the screen, or none. */
export async function waitForNotice(device: Device, isShown: boolean): Promise<void> {
  await waitFor(async () => (wrongBar(await device.screen()) === undefined) === isShown, {
    timeoutMs: WAIT_MS,
    what: isShown ? 'a notice on the screen' : 'the end of the notice',
    intervalMs: 500,
  });
}

/** Waits until the bar is there, and the page below and the whole screen around it, or no bar. */
async function waitForScreen(
  device: Device,
  { bar, page }: { bar: boolean; page?: Colour },
): Promise<Picture> {
  let wrong = '';
  return await waitFor(
    async () => {
      const picture = await device.screen();
      const [top, below] = [colourAt(picture, 0.5, 0.01), colourAt(picture, 0.5, SHARE + 0.01)];
      const found = bar ? wrongBar(picture) : near(top, BAR) ? 'there is a bar' : undefined;
      wrong = found ?? (page && !near(below, page) ? `the page is ${below}` : '');
      return wrong === '' && picture;
    },
    { timeoutMs: WAIT_MS, what: bar ? 'the notice' : 'the page without a notice', intervalMs: 200 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; ${wrong}`);
  });
}

async function click(screen: VncClient, x: number, y: number): Promise<void> {
  for (const buttons of [0, LEFT_BUTTON, 0]) {
    screen.pointer(x, y, buttons);
    await sleep(GAP_MS);
  }
}

/** Uses the compositor's output in another way. */
const turn = (device: Device, how: string) =>
  device.shell.ok(`cd /run/user/900 && for socket in wayland-?; do
    export XDG_RUNTIME_DIR=/run/user/900 WAYLAND_DISPLAY=$socket
    wlr-randr --output "$(wlr-randr | sed -n '1s/ .*//p')" ${how}; done`);

/** Adds the tests to a scenario; the agent is stopped meanwhile. */
export async function testNotice(context: ScenarioContext): Promise<void> {
  const { device, pages, test } = context;
  const browser = await DrivenBrowser.start(context);
  const cover = pages.add(COVER);
  const screen = await VncClient.connect(await device.host.vncAddress());
  try {
    await test('a notice is above a page that covers everything, and stays over reload, navigation and crash', async () => {
      await browser.call('show', cover);
      await waitForScreen(device, { bar: false, page: GREEN });
      await browser.call('notice', TEXT);
      await waitForScreen(device, { bar: true, page: GREEN });
      const full = await browser.call(
        'script',
        "await document.querySelector('dialog div').requestFullscreen(); return document.fullscreenElement.localName",
      );
      assert.equal(field(full, 'value'), 'div', String(field(full, 'exception.message')));
      await waitForScreen(device, { bar: true, page: GREEN });
      await browser.call('reload');
      await waitForScreen(device, { bar: true, page: GREEN });
      await browser.call('show', pages.addColours(BLUE, BLUE));
      await waitForScreen(device, { bar: true, page: BLUE });
      await browser.call('crash');
      await waitForScreen(device, { bar: true });
      await browser.call('show', cover);
      await waitForScreen(device, { bar: true, page: GREEN });
      const { value } = Object(await browser.call('script', 'return [innerHeight, screen.height]'));
      assert.equal(value[0], value[1], 'the page has another size');
    });

    await test('clicks on it do not reach the page, and it is there beside the on-screen keyboard', async () => {
      await browser.call('keyboard', true);
      for (const x of [0.1, 0.5, 0.9]) await click(screen, x, SHARE / 2);
      // An event that comes after those.
      await waitFor(
        async () => {
          await click(screen, 0.1, 0.53);
          return near(colourAt(await device.screen(), 0.5, 0.998), BAR);
        },
        { timeoutMs: WAIT_MS, what: 'the on-screen keyboard', intervalMs: 1000 },
      );
      await waitForScreen(device, { bar: true, page: GREEN });
      await click(screen, ...T_KEY);
      const typed = "return document.querySelector('input').value";
      await waitFor(async () => field(await browser.call('script', typed), 'value') === 't', {
        timeoutMs: WAIT_MS,
        what: 'the key in the field',
      });
      await click(screen, 0.9, 0.3);
      await waitForScreen(device, { bar: true, page: BLUE });
      await browser.call('keyboard', false);
    });

    await test('it follows rotation and scale, and no text leaves it', async () => {
      // QEMU's picture of an output is not turned with it.
      const turned = device.kind === 'container' ? '--transform 90' : '--scale 1.5';
      // In two lines, in one, and as it was.
      for (const [how, text] of [
        [turned, 'W '.repeat(100)],
        ['--scale 2', 'W'.repeat(200)],
        ['--transform normal --scale 1', TEXT],
      ] as const) {
        await browser.call('notice', text);
        await turn(device, how);
        await waitForScreen(device, { bar: true, page: BLUE });
      }
      await assert.rejects(browser.call('notice', 'W'.repeat(201)), /too long/);
    });

    await test('it ends by a command, and with the connection', async () => {
      await browser.call('notice', null);
      await waitForScreen(device, { bar: false, page: BLUE });
      await browser.call('notice', TEXT);
      await waitForScreen(device, { bar: true, page: BLUE });
      await browser.disconnect();
      await waitForScreen(device, { bar: false, page: BLUE });
    });
  } finally {
    await screen.close();
    await browser.end();
  }
}
