import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Colour, colourAt, near, type Picture } from '../../ci/lib/png.ts';
import { waitFor } from '../../ci/lib/wait.ts';
import type { Qmp } from '../../ci/qemu/qmp.ts';

let dumps = 0;

/** The machine's own picture of its screen, as a file of `format`. `folder` holds it for a moment. */
export async function screendump(qmp: Qmp, folder: string, format: 'png' | 'ppm'): Promise<Buffer> {
  const file = join(folder, `glass-${++dumps}.${format}`);
  await qmp.execute('screendump', { filename: file, format });
  const dump = await readFile(file);
  await rm(file);
  return dump;
}

/**
 * What is on the machine's screen now. Not by way of a PNG: to pack and unpack one takes 80 ms of a processor, a PPM less
 * than 10, and a test that waits for a colour looks three times a second.
 */
export async function lookAt(qmp: Qmp, folder: string): Promise<Picture> {
  return readPpm(await screendump(qmp, folder, 'ppm'));
}

/** Reads a binary PPM with eight bits a channel, as QEMU writes them. Throws on anything else. */
function readPpm(file: Buffer): Picture {
  const [header = '', ...fields] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(file.toString('latin1', 0, 64)) ?? [];
  const [width = 0, height = 0] = fields.map(Number);
  const rgb = file.subarray(header.length);
  if (header === '' || rgb.length !== width * height * 3) throw new Error('not a PPM that is whole');
  return { width, height, rgb };
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
