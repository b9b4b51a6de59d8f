/**
 * Checks that a file is a PNG that libpng and WebKit decode down to the last row (PNG specification, third edition).
 * docs/decisions/0015-own-png-check.md says why no library does it.
 */
import { crc32, createInflate, inflateSync } from 'node:zlib';
import { ApiError } from '../../contract/errors.ts';

/** Longest side in pixels; native/splash/picture.c has the same limits. */
export const MAX_SIDE = 8192;
/** 8K UHD (7680 × 4320) fits; a decoded picture has at most 128 MiB. */
export const MAX_PIXELS = 2 ** 25;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Length, type and CRC-32 of a chunk, in bytes. */
const CHUNK_FRAME = 12;
const INFLATE_STEP = 64 * 1024;
/** Most ancillary chunks in one file; a usual picture has a dozen. libpng keeps no more than this. */
const MAX_ANCILLARY = 1000;
/** Most bytes of inflated text and colour profiles; the largest profiles in use have a tenth of it. */
const MAX_METADATA_BYTES = 16 * 2 ** 20;
/** What deflate can reach at best. */
const MAX_RATIO = 1032;
const GREY = 0;
const PALETTE = 3;
const GREY_ALPHA = 4;

/** Channels and bit depths by colour type. */
const COLOUR_TYPES: ReadonlyMap<number, { channels: number; depths: readonly number[] }> = new Map([
  [GREY, { channels: 1, depths: [1, 2, 4, 8, 16] }],
  [2, { channels: 3, depths: [8, 16] }],
  [PALETTE, { channels: 1, depths: [1, 2, 4, 8] }],
  [GREY_ALPHA, { channels: 2, depths: [8, 16] }],
  [6, { channels: 4, depths: [8, 16] }],
]);

/** Passes of a picture: the first pixel and the distance between pixels, [x, y, step x, step y]. */
const NOT_INTERLACED = [[0, 0, 1, 1]] as const;
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

export interface PngHeader {
  /** In pixels, as `height`. */
  width: number;
  height: number;
  /** Bits of one channel, 1 to 16. */
  bitDepth: number;
  colourType: number;
  interlaced: boolean;
}

/**
 * Checks the whole file. Inflated pixels are counted and dropped, so memory does not grow with the picture.
 * @throws ApiError `bad_request` with the reason
 */
export async function checkPng(file: Buffer): Promise<PngHeader> {
  const { header, pixels } = readChunks(file);
  await checkPixels(header, pixels);
  return header;
}

/**
 * Checks everything except the pixels: signature, checksums, header, kinds and order of chunks.
 * @returns the header and the compressed pixels
 * @throws ApiError `bad_request` with the reason
 */
export function readChunks(file: Buffer): { header: PngHeader; pixels: Buffer } {
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    throw damaged('The file is not a PNG: the signature is missing.');
  }
  let ancillary = 0;
  let metadataBytes = 0;
  const pixels: Buffer[] = [];
  const chunks = chunksOf(file);
  const first = chunks.next();
  if (first.done || first.value.type !== 'IHDR') throw damaged('The first chunk of the PNG is not IHDR.');
  const header = readHeader(first.value.body);
  let hasPalette = false;
  let previous = '';
  for (const { type, body } of chunks) {
    if (type === 'PLTE') {
      if (hasPalette || pixels.length > 0) throw damaged('The PNG has a second or late PLTE chunk.');
      checkPalette(header, body);
      hasPalette = true;
    } else if (type === 'IDAT') {
      if (pixels.length > 0 && previous !== 'IDAT') throw damaged('The IDAT chunks are not consecutive.');
      pixels.push(body);
    } else if (type === 'IEND') {
      if (body.length > 0) throw damaged('The IEND chunk is not empty.');
    } else if (/^[A-Z]/.test(type)) {
      throw damaged(`The PNG has an unexpected critical chunk, ${type}.`);
    } else {
      ancillary += 1;
      metadataBytes += inflatedBytes(compressedPart(type, body), MAX_METADATA_BYTES - metadataBytes);
      if (ancillary > MAX_ANCILLARY || metadataBytes > MAX_METADATA_BYTES) {
        throw damaged('The PNG has too much text or too many colour profiles besides its pixels.');
      }
    }
    previous = type;
  }
  if (header.colourType === PALETTE && !hasPalette) throw damaged('The PNG has no palette.');
  return { header, pixels: Buffer.concat(pixels) };
}

/** The size of the inflated data, more than `limit` when it exceeds that. */
function inflatedBytes(compressed: Buffer | undefined, limit: number): number {
  if (!compressed) return 0;
  try {
    return inflateSync(compressed, { maxOutputLength: limit + 1 }).length;
  } catch (error) {
    if (error instanceof RangeError) return limit + 1;
    // A decoder skips damaged data, but only after it has inflated what comes before the damage.
    return Math.min(compressed.length * MAX_RATIO, 2 ** 20);
  }
}

/** What decoders inflate before they read the pixels. Undefined when there is none; of a malformed chunk any bytes, which then count as damaged data. */
function compressedPart(type: string, body: Buffer): Buffer | undefined {
  const keywordEnd = body.indexOf(0);
  // A byte with the compression method follows the keyword.
  if (type === 'zTXt' || type === 'iCCP') return body.subarray(keywordEnd + 2);
  if (type !== 'iTXt' || body[keywordEnd + 1] !== 1) return undefined;
  const languageEnd = body.indexOf(0, keywordEnd + 3);
  return body.subarray(body.indexOf(0, languageEnd + 1) + 1);
}

/** Checks the frame and the checksum of each chunk, and that the file ends with IEND. */
function* chunksOf(file: Buffer): Generator<{ type: string; body: Buffer }, void> {
  let at = SIGNATURE.length;
  for (let type = ''; type !== 'IEND'; ) {
    if (file.length - at < CHUNK_FRAME) throw damaged('The PNG ends before its IEND chunk.');
    type = file.toString('latin1', at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(type)) throw damaged(`There is no PNG chunk at byte ${at}.`);
    const end = at + CHUNK_FRAME + file.readUInt32BE(at);
    if (end > file.length) throw damaged(`The ${type} chunk at byte ${at} is cut off.`);
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) {
      throw damaged(`The checksum of the ${type} chunk at byte ${at} is wrong.`);
    }
    yield { type, body: file.subarray(at + 8, end - 4) };
    at = end;
  }
  if (at < file.length) throw damaged(`${file.length - at} bytes follow the end of the PNG.`);
}

function readHeader(body: Buffer): PngHeader {
  if (body.length !== 13) throw damaged('The IHDR chunk does not have 13 bytes.');
  const width = body.readUInt32BE(0);
  const height = body.readUInt32BE(4);
  const [bitDepth = 0, colourType = 0, compression, filter, interlace = 0] = body.subarray(8);
  if (width === 0 || height === 0) throw damaged(`The PNG is empty: ${width} × ${height} pixels.`);
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) {
    const limit = `${MAX_SIDE} a side and ${MAX_PIXELS} in all`;
    throw damaged(`The PNG is too large: ${width} × ${height} pixels; at most ${limit}.`);
  }
  if (!COLOUR_TYPES.get(colourType)?.depths.includes(bitDepth)) {
    throw damaged(`There is no PNG of colour type ${colourType} and bit depth ${bitDepth}.`);
  }
  if (compression !== 0 || filter !== 0 || interlace > 1) {
    throw damaged('The PNG has an unknown compression, filter or interlace method.');
  }
  return { width, height, bitDepth, colourType, interlaced: interlace === 1 };
}

function checkPalette({ bitDepth, colourType }: PngHeader, body: Buffer): void {
  if (colourType === GREY || colourType === GREY_ALPHA) throw damaged('A grey PNG has a palette.');
  const colours = body.length / 3;
  const most = colourType === PALETTE ? 2 ** bitDepth : 256;
  if (!Number.isInteger(colours) || colours < 1 || colours > most) {
    throw damaged(`The palette has ${body.length} bytes: not 1 to ${most} colours.`);
  }
}

/** Yields the length of each row of the inflated data in bytes, with its filter byte. */
export function* rowLengths(header: PngHeader): Generator<number> {
  const { width, height, bitDepth, colourType, interlaced } = header;
  const bits = bitDepth * (COLOUR_TYPES.get(colourType)?.channels ?? 0);
  for (const [left, top, stepX, stepY] of interlaced ? ADAM7 : NOT_INTERLACED) {
    if (left >= width) continue;
    const bytes = 1 + Math.ceil((Math.ceil((width - left) / stepX) * bits) / 8);
    for (let y = top; y < height; y += stepY) yield bytes;
  }
}

/** Inflates the pixels piece by piece, and stops as soon as there are more than the header says. */
async function checkPixels(header: PngHeader, pixels: Buffer): Promise<void> {
  const rows = rowLengths(header);
  const inflate = createInflate({ chunkSize: INFLATE_STEP });
  inflate.end(pixels);
  /** Bytes until the next row. */
  let left = 0;
  try {
    for await (const chunk of inflate) {
      const piece: Buffer = chunk;
      for (let at = 0; at < piece.length; ) {
        if (left === 0) {
          left = rows.next().value ?? 0;
          if (left === 0) throw damaged('The PNG has more pixels than its size says.');
          if (piece.readUInt8(at) > 4) throw damaged(`A row has the unknown filter ${piece.readUInt8(at)}.`);
        }
        const step = Math.min(left, piece.length - at);
        left -= step;
        at += step;
      }
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw damaged('The pixels of the PNG do not decompress: they are damaged or cut off.');
  }
  if (left > 0 || !rows.next().done) throw damaged('The PNG has fewer pixels than its size says.');
  if (inflate.bytesWritten < pixels.length) throw damaged('Data follows the pixels in the IDAT chunks.');
}

function damaged(message: string): ApiError {
  return new ApiError('bad_request', message);
}
