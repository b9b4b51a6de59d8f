/** Recognises what a device shows while it shuts down and boots. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { type Colour, colourAt, colourCount, near, type Picture } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from './device.ts';

/** The splash images are of one colour each. */
export const BOOT: Colour = [200, 40, 160];
export const SHUTDOWN: Colour = [30, 160, 60];
/** The page has two halves. */
export const [LEFT, RIGHT]: [Colour, Colour] = [
  [20, 90, 190],
  [230, 150, 10],
];
const LOOK_EVERY_MS = 80;
/** Time limits on a busy computer. */
const PAGE_MS = 300_000;
const SPLASH_END_MS = 90_000;

/** The recognised content of the screen. */
export type ScreenContent =
  | 'black'
  | 'boot splash'
  | 'shutdown splash'
  | 'waiting page being drawn'
  | 'waiting page'
  | 'waiting page with the image'
  | 'page'
  | `other: ${string}`;

export function recognise(picture: Picture): ScreenContent {
  const [middle, bottom] = [colourAt(picture, 0.5, 0.4), colourAt(picture, 0.02, 0.99)];
  if (near(middle, BOOT) && near(bottom, BOOT)) return 'boot splash';
  if (near(middle, SHUTDOWN) && near(bottom, SHUTDOWN)) return 'shutdown splash';
  if (near(colourAt(picture, 0.25, 0.5), LEFT) && near(colourAt(picture, 0.75, 0.5), RIGHT)) return 'page';
  const colours = colourCount(picture, 21);
  // The page's background is dark, but not black as a console's. The first frame is only the background.
  if (isBackground(bottom)) {
    if (colours > 20) return near(middle, BOOT) ? 'waiting page with the image' : 'waiting page';
    if (isBackground(middle)) return 'waiting page being drawn';
  }
  if (colours === 1 && near(middle, [0, 0, 0])) return 'black';
  return `other: rgb ${middle.join()} in the middle, ${bottom.join()} at the bottom, ${colours} colours`;
}

function isBackground(colour: Colour): boolean {
  return Math.max(...colour) > 8 && near(colour, [0, 0, 0], 48);
}

/**
 * Watches the screen while `work` runs, and appends each new content to `contents`. `work` may wait for an entry.
 */
async function watch(
  device: Device,
  contents: (ScreenContent | 'reset')[],
  work: () => Promise<unknown>,
): Promise<void> {
  const watching = new AbortController();
  const stop = device.host.onRestart(() => contents.push('reset'));
  const look = async (): Promise<void> => {
    while (!watching.signal.aborted) {
      // While the mode of the screen changes, QEMU has no picture.
      const seen = await device.screen().then(recognise, () => undefined);
      if (seen && seen !== contents.at(-1)) contents.push(seen);
      await sleep(LOOK_EVERY_MS);
    }
  };
  const looking = look();
  try {
    await work();
  } catch (error) {
    throw new Error(`${errorMessage(error)}; shown on the screen: ${contents.join(', ')}`);
  } finally {
    watching.abort();
    await looking;
    stop();
  }
}

/**
 * Runs `restart`, which restarts the device once, and checks what the screen shows: the shutdown splash until the reset,
 * then the boot splash until the page with the halves LEFT and RIGHT.
 */
export async function watchRestart(device: Device, restart: () => Promise<unknown>): Promise<void> {
  const contents: (ScreenContent | 'reset')[] = [];
  await watch(device, contents, async () => {
    await restart();
    // Uses the watcher's pictures: another one might show something that the watcher misses.
    await waitFor(() => contents.includes('page', contents.indexOf('reset')), {
      timeoutMs: PAGE_MS,
      what: 'the page on the screen',
    });
  });
  const reset = contents.indexOf('reset');
  const sequence = contents.join(', ');
  // A picture taken just before the reset may have been recorded just after it.
  const untilReset = contents.slice(0, reset + 2);
  assert.ok(untilReset.includes('shutdown splash'), `before the reset: ${sequence}`);
  const boot = contents.indexOf('boot splash', reset);
  assert.ok(boot > reset, `after the reset: ${sequence}`);
  const page = contents.indexOf('page', reset);
  assert.ok(page > boot, sequence);
  // The screen may be black before the browser draws, but no console may be visible in between.
  assert.ok(!contents.slice(boot, page).some((seen) => seen.startsWith('other')), sequence);
  await waitFor(
    async () => (await device.shell.ok('systemctl show -P ActiveState vitrine-splash')) === 'inactive',
    { timeoutMs: SPLASH_END_MS, what: 'the boot splash to have ended' },
  );
}
