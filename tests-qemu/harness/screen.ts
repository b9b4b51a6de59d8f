import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Qmp } from '../../ci/qemu/qmp.ts';
import { type Colour, colourAt, near, type Picture, readPpm } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';

let dumps = 0;

/** A picture of the machine's display output as a file of `format`. `folder` is for a temporary file. */
export async function screendump(qmp: Qmp, folder: string, format: 'png' | 'ppm'): Promise<Buffer> {
  const file = join(folder, `screen-${++dumps}.${format}`);
  await qmp.execute('screendump', { filename: file, format });
  const dump = await readFile(file);
  await rm(file);
  return dump;
}

/**
 * A picture of the machine's display output. Uses PPM, because encoding and decoding a PNG takes 80 ms of processor time,
 * a PPM less than 10 ms, and a test that waits for a colour takes three pictures a second.
 */
export async function readScreen(qmp: Qmp, folder: string): Promise<Picture> {
  return readPpm(await screendump(qmp, folder, 'ppm'));
}

/** A position on the screen, as fractions of its width and height, and the expected colour. */
export interface Spot {
  what: string;
  x: number;
  y: number;
  colour: Colour;
  /** Permitted difference per channel; colours of a video are not exact. */
  tolerance?: number;
}

/** Waits until every spot on the screen has its colour. */
export async function waitForSpots(
  takePicture: () => Promise<Picture>,
  spots: Spot[],
  timeoutMs: number,
): Promise<void> {
  let wrong: string[] = [];
  await waitFor(
    async () => {
      const picture = await takePicture();
      wrong = spots.flatMap(({ what, x, y, colour, tolerance }) => {
        const seen = colourAt(picture, x, y);
        return near(seen, colour, tolerance) ? [] : [`${what} is ${seen} and not ${colour}`];
      });
      return wrong.length === 0;
    },
    { timeoutMs, what: `${spots.map(({ what }) => what).join(', ')} on the screen`, intervalMs: 300 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; ${wrong.join(', ')}`);
  });
}

/** Waits until the screen shows two halves of these colours. */
export async function waitForColours(
  takePicture: () => Promise<Picture>,
  left: Colour,
  right: Colour,
  timeoutMs: number,
): Promise<void> {
  const spots = [
    { what: 'the left half', x: 0.25, y: 0.5, colour: left },
    { what: 'the right half', x: 0.75, y: 0.5, colour: right },
  ];
  await waitForSpots(takePicture, spots, timeoutMs);
}
