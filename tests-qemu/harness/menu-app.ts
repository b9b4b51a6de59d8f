import type { Colour } from '../../testing/png.ts';
import { zip } from '../../testing/zip.ts';
import { appFiles } from './bundles.ts';
import { stretch } from './clip.ts';
import type { Device } from './device.ts';
import { type Spot, waitForSpots } from './screen.ts';

/** The fields of the app's status view, row by row. Each is red until its check has passed. */
const FIELDS = ['modules', 'fetch', 'secure', 'storage', 'worker', 'routes', 'ranges', 'assets'];
const COLUMNS = 4;
/** Height of the header as a fraction of the screen; the fields are below it. */
const TOP = 0.12;
/** The clip's colour from second 3 on: the app seeks there and stops. */
const LATER_IN_THE_CLIP: Colour = [128, 48, 192];
const CLIP = 'media/clip.webm';
/** Unless the computer is fast, this is not loaded before the seek, so that the player requests ranges. */
const CLIP_GAP = 2_000_000;
/** Time limit for all checks of the app on a busy computer without KVM. */
const PROVEN_MS = 480_000;

export const GREEN: Colour = [27, 138, 58];
export const BLUE: Colour = [21, 101, 192];

/** The single-page app in `tests-qemu/bundles/menu` as a bundle; fields with passed checks have the given colour. */
export async function menuBundle(proven: Colour): Promise<Buffer> {
  const colour = `#${Buffer.from(proven).toString('hex')}`;
  const settings = JSON.stringify({ version: proven.join('.'), proven: colour });
  const files = await appFiles('menu');
  const clip = stretch(files[CLIP] ?? Buffer.alloc(0), CLIP_GAP);
  return await zip({ ...files, [CLIP]: clip, 'data/app.json': settings });
}

/** Waits until all fields on the screen show passed checks, and the clip shows the colour after the seek. */
export async function waitForMenu(device: Device, proven: Colour): Promise<void> {
  const cell = (1 - TOP) / COLUMNS;
  const spots = FIELDS.map((what, i): Spot => {
    const [row, column] = [Math.floor(i / COLUMNS), i % COLUMNS];
    // The lower right corner contains no text.
    return { what, x: (column + 0.9) / COLUMNS, y: TOP + (row + 0.85) * cell, colour: proven };
  });
  const video = { what: 'video', x: 0.25, y: TOP + 3 * cell, colour: LATER_IN_THE_CLIP, tolerance: 24 };
  await waitForSpots(() => device.screen(), [...spots, video], PROVEN_MS);
}
