import type { Colour } from '../../ci/lib/png.ts';
import { appFiles, zip } from './bundles.ts';
import { stretch } from './clip.ts';
import type { Device } from './device.ts';
import { type Spot, waitForSpots } from './glass.ts';

/** The fields of the app's status view, row by row; each is red until what it names is proven. */
const FIELDS = ['modules', 'fetch', 'secure', 'storage', 'worker', 'routes', 'ranges', 'assets'];
const COLUMNS = 4;
/** Where the header ends and the fields begin. */
const TOP = 0.12;
/** What the clip shows from second 3 on: the app jumps there and stays. */
const LATER_IN_THE_CLIP: Colour = [128, 48, 192];
const CLIP = 'media/clip.webm';
/** So much is not loaded before the jump unless the computer is quick: the player then asks for ranges. */
const CLIP_GAP = 2_000_000;
/** Everything loaded, the worker installed, the clip decoded, on a computer without KVM that is busy. */
const PROVEN_MS = 480_000;

export const GREEN: Colour = [27, 138, 58];
export const BLUE: Colour = [21, 101, 192];

/** The single-page app in `tests-qemu/bundles/menu` as a bundle, its proven fields in the given colour. */
export async function menuBundle(proven: Colour): Promise<Buffer> {
  const colour = `#${Buffer.from(proven).toString('hex')}`;
  const settings = JSON.stringify({ version: proven.join('.'), proven: colour });
  const files = await appFiles('menu');
  const clip = stretch(files[CLIP] ?? Buffer.alloc(0), CLIP_GAP);
  return await zip({ ...files, [CLIP]: clip, 'data/app.json': settings });
}

/** Waits until the app has proven everything on the glass, and its clip shows what comes after the jump. */
export async function waitForMenu(device: Device, proven: Colour): Promise<void> {
  const cell = (1 - TOP) / COLUMNS;
  const spots = FIELDS.map((what, i): Spot => {
    const [row, column] = [Math.floor(i / COLUMNS), i % COLUMNS];
    // The lower right corner, where no text is.
    return { what, x: (column + 0.9) / COLUMNS, y: TOP + (row + 0.85) * cell, colour: proven };
  });
  const video = { what: 'video', x: 0.25, y: TOP + 3 * cell, colour: LATER_IN_THE_CLIP, tolerance: 24 };
  await waitForSpots(() => device.glass(), [...spots, video], PROVEN_MS);
}
