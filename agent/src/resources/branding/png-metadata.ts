/** Texts and colour profiles of a PNG, which decoders unpack before they come to the pixels. */
import { inflateSync } from 'node:zlib';

/** Of chunks beside the picture, one for one; a picture has a dozen. */
const MOST_CHUNKS = 1000;
/** Of all that is packed in them, in bytes; the largest profiles have a tenth of it. */
const MOST_UNPACKED = 16 * 2 ** 20;

/** Counts what the chunks beside the picture cost a decoder. */
export class Metadata {
  #chunks = 0;
  #unpacked = 0;

  /** @returns whether the decoder can still be asked to read all of it */
  take(type: string, body: Buffer): boolean {
    this.#chunks += 1;
    if (this.#chunks > MOST_CHUNKS) return false;
    const packed = packedPart(type, body);
    if (packed === undefined) return true;
    const maxOutputLength = MOST_UNPACKED - this.#unpacked + 1;
    try {
      this.#unpacked += inflateSync(packed, { maxOutputLength }).length;
    } catch (error) {
      if (error instanceof RangeError) return false;
      // Decoders leave damaged ones out, but not before they have come to the damage.
      this.#unpacked += Math.min(packed.length * 1032, 2 ** 20);
    }
    return this.#unpacked <= MOST_UNPACKED;
  }
}

function packedPart(type: string, body: Buffer): Buffer | undefined {
  const keyword = body.indexOf(0);
  if (keyword < 0) return undefined;
  // The keyword is followed by the number of the compression method.
  if (type === 'zTXt' || type === 'iCCP') return body.subarray(keyword + 2);
  if (type !== 'iTXt' || body[keyword + 1] !== 1) return undefined;
  const language = body.indexOf(0, keyword + 3);
  const translated = language < 0 ? -1 : body.indexOf(0, language + 1);
  return translated < 0 ? undefined : body.subarray(translated + 1);
}
