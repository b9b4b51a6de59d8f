/** Compressed text and colour profiles of a PNG: decoders inflate them before they read the pixels. */
import { inflateSync } from 'node:zlib';

/** Most ancillary chunks in one file; a usual picture has a dozen. libpng keeps no more than this. */
const MAX_CHUNKS = 1000;
/** Most bytes that all of them may inflate to; the largest colour profiles in use have a tenth of it. */
const MAX_INFLATED_BYTES = 16 * 2 ** 20;
/** What deflate can reach at best. */
const MAX_RATIO = 1032;

/** Adds up what the ancillary chunks of one file cost a decoder. */
export class MetadataBudget {
  #chunks = 0;
  #inflatedBytes = 0;

  /** @returns false as soon as the chunks so far exceed a limit */
  add(type: string, body: Buffer): boolean {
    this.#chunks += 1;
    const compressed = compressedPart(type, body);
    if (compressed)
      this.#inflatedBytes += inflatedBytes(compressed, MAX_INFLATED_BYTES - this.#inflatedBytes);
    return this.#chunks <= MAX_CHUNKS && this.#inflatedBytes <= MAX_INFLATED_BYTES;
  }
}

/** The size of the inflated data, more than `limit` when it exceeds that. */
function inflatedBytes(compressed: Buffer, limit: number): number {
  try {
    return inflateSync(compressed, { maxOutputLength: limit + 1 }).length;
  } catch (error) {
    if (error instanceof RangeError) return limit + 1;
    // A decoder skips damaged data, but only after it has inflated what comes before the damage.
    return Math.min(compressed.length * MAX_RATIO, 2 ** 20);
  }
}

/** Undefined when there is none; of a malformed chunk any bytes, which then count as damaged data. */
function compressedPart(type: string, body: Buffer): Buffer | undefined {
  const keywordEnd = body.indexOf(0);
  // A byte with the compression method follows the keyword.
  if (type === 'zTXt' || type === 'iCCP') return body.subarray(keywordEnd + 2);
  if (type !== 'iTXt' || body[keywordEnd + 1] !== 1) return undefined;
  const languageEnd = body.indexOf(0, keywordEnd + 3);
  return body.subarray(body.indexOf(0, languageEnd + 1) + 1);
}
