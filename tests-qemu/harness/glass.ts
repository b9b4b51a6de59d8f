import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Colour, colourAt, near, type Picture } from '../../ci/lib/png.ts';
import { waitFor } from '../../ci/lib/wait.ts';
import type { Qmp } from '../../ci/qemu/qmp.ts';

let dumps = 0;

/** The machine's own picture of its screen, as a PNG. `folder` holds it for a moment. */
export async function screendump(qmp: Qmp, folder: string): Promise<Buffer> {
  const file = join(folder, `glass-${++dumps}.png`);
  await qmp.execute('screendump', { filename: file, format: 'png' });
  const png = await readFile(file);
  await rm(file);
  return png;
}

/** A place on the screen, as fractions of its width and height, and what must be there. */
export interface Spot {
  what: string;
  x: number;
  y: number;
  colour: Colour;
  /** By how much each channel may differ; a video's colours are not exact. */
  tolerance?: number;
}

/** Waits until every spot of a screen has its colour. */
export async function waitForSpots(
  glass: () => Promise<Picture>,
  spots: Spot[],
  timeoutMs: number,
): Promise<void> {
  let wrong: string[] = [];
  await waitFor(
    async () => {
      const picture = await glass();
      wrong = spots.flatMap(({ what, x, y, colour, tolerance }) => {
        const seen = colourAt(picture, x, y);
        return near(seen, colour, tolerance) ? [] : [`${what} is ${seen} and not ${colour}`];
      });
      return wrong.length === 0;
    },
    { timeoutMs, what: `${spots.map(({ what }) => what).join(', ')} on the glass`, intervalMs: 300 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; ${wrong.join(', ')}`);
  });
}

/** Waits until a screen shows two halves of these colours. */
export async function waitForColours(
  glass: () => Promise<Picture>,
  left: Colour,
  right: Colour,
  timeoutMs: number,
): Promise<void> {
  const spots = [
    { what: 'the left half', x: 0.25, y: 0.5, colour: left },
    { what: 'the right half', x: 0.75, y: 0.5, colour: right },
  ];
  await waitForSpots(glass, spots, timeoutMs);
}
