/** Small pictures of bundles, made whenever one is seen on the screen, and remembered by this browser. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { DisplayState } from './device-state.ts';
import { addToList, remember, remembered, rememberedList } from './storage.ts';

/** How many are kept; each has some thousand characters. */
const MOST = 16;
const WIDTH = 160;
const HEIGHT = 90;
const QUALITY = 0.6;

const changes = signal(0);

/** Changes when there is a new thumbnail. */
export const thumbnailChanges: ReadonlySignal<number> = changes;

/** The address of a bundle's thumbnail; undefined if it was not seen yet. */
export function thumbnailOf(bundle: string): string | undefined {
  return remembered(`thumbnail.${bundle}`);
}

/**
 * Keeps a picture of the screen as the thumbnail of the bundle that it shows. Anything else is not kept. Never rejects.
 * @param address of the picture
 */
export async function keepThumbnail(
  { mode, bundle, loading, error }: DisplayState,
  address: string,
): Promise<void> {
  if (mode !== 'bundle' || bundle === undefined || loading || error) return;
  const picture = new Image();
  picture.src = address;
  const small = await picture.decode().then(
    () => shrink(picture),
    () => undefined,
  );
  if (small === undefined) return;
  const names = rememberedList('thumbnails', MOST);
  const kept = addToList(names, bundle, MOST);
  for (const name of names.filter((one) => !kept.includes(one))) remember(`thumbnail.${name}`, undefined);
  remember('thumbnails', JSON.stringify(kept));
  remember(`thumbnail.${bundle}`, small);
  changes.value += 1;
}

/** The middle of a picture, in the shape of a thumbnail. */
function shrink(picture: HTMLImageElement): string | undefined {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const { naturalWidth: width, naturalHeight: height } = picture;
  const scale = Math.max(WIDTH / width, HEIGHT / height);
  const [drawnWidth, drawnHeight] = [width * scale, height * scale];
  const context = canvas.getContext('2d');
  context?.drawImage(picture, (WIDTH - drawnWidth) / 2, (HEIGHT - drawnHeight) / 2, drawnWidth, drawnHeight);
  return context ? canvas.toDataURL('image/jpeg', QUALITY) : undefined;
}
