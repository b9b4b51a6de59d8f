/** What can be told of a picture before it is sent. The device decodes all of it. */

/** What is wrong with a file. */
export type PictureFault = 'not_png' | 'too_large' | 'too_many_pixels';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Up to the height in the first chunk (PNG, section 11.2.1). */
const HEADER_BYTES = 24;
const WIDTH_AT = 16;
const HEIGHT_AT = 20;
/** Limits of the device (docs/api.md: Limits): bytes, pixels per side, pixels. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_SIDE = 8192;
const MAX_PIXELS = 2 ** 25;

/** @returns undefined if nothing is wrong, as far as the beginning of the file tells */
export async function faultOf(file: Blob): Promise<PictureFault | undefined> {
  const head = new DataView(await file.slice(0, HEADER_BYTES).arrayBuffer());
  if (head.byteLength < HEADER_BYTES || SIGNATURE.some((byte, at) => head.getUint8(at) !== byte)) {
    return 'not_png';
  }
  if (file.size > MAX_BYTES) return 'too_large';
  const [width, height] = [head.getUint32(WIDTH_AT), head.getUint32(HEIGHT_AT)];
  return Math.max(width, height) > MAX_SIDE || width * height > MAX_PIXELS ? 'too_many_pixels' : undefined;
}

/** Whether two files have the same bytes. */
export function isSame(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one?.length === other.length && one.every((byte, at) => byte === other[at]);
}
