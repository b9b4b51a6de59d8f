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

/** Waits until a screen shows two halves of these colours. */
export async function waitForColours(
  glass: () => Promise<Picture>,
  left: Colour,
  right: Colour,
  timeoutMs: number,
): Promise<void> {
  let seen = '';
  await waitFor(
    async () => {
      const picture = await glass();
      const [a, b] = [colourAt(picture, 0.25, 0.5), colourAt(picture, 0.75, 0.5)];
      seen = `${a} and ${b}`;
      return near(a, left) && near(b, right);
    },
    { timeoutMs, what: `${left} and ${right} on the glass`, intervalMs: 300 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; it shows ${seen}`);
  });
}
