/**
 * Checks that a file is a PNG that every decoder takes (PNG specification, third edition): one that fails half-way
 * through would leave a screen black at a moment when nobody can look why.
 */
import { crc32, createInflate } from 'node:zlib';
import { Metadata } from './png-metadata.ts';

/** Longest side in pixels. */
export const MAX_SIDE = 8192;
/** 8K UHD (7680 × 4320) fits; a decoded picture has 128 MiB at most. */
export const MAX_PIXELS = 2 ** 25;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const CHUNK_FRAME = 12;
const INFLATE_STEP = 64 * 1024;

/** Channels and bit depths by colour type. */
const COLOUR_TYPES: ReadonlyMap<number, { channels: number; depths: readonly number[] }> = new Map([
  [0, { channels: 1, depths: [1, 2, 4, 8, 16] }],
  [2, { channels: 3, depths: [8, 16] }],
  [3, { channels: 1, depths: [1, 2, 4, 8] }],
  [4, { channels: 2, depths: [8, 16] }],
  [6, { channels: 4, depths: [8, 16] }],
]);
const PALETTE = 3;
const GREYS: readonly number[] = [0, 4];

/** Adam7: where each pass starts and how far apart its pixels are, [x, y, step x, step y]. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Why a file is not accepted: one English sentence. */
export class PngError extends Error {}

export interface PngHeader {
  /** In pixels. */
  width: number;
  height: number;
  /** 1 to 16, of one channel. */
  bitDepth: number;
  colourType: number;
  interlaced: boolean;
}

/** A PNG whose chunks are whole and in order; what its pixels hold is not looked at yet. */
export interface PngChunks {
  header: PngHeader;
  /** The compressed pixels, one part a chunk. */
  data: Buffer[];
}

/**
 * Checks the whole file down to its last pixel. What is inflated is counted and thrown away, so memory does not grow
 * with the picture.
 * @throws PngError
 */
export async function checkPng(file: Buffer): Promise<PngHeader> {
  const { header, data } = readChunks(file);
  await checkPixels(header, data);
  return header;
}

/**
 * Checks everything but the pixels: signature, every chunk's CRC-32, which chunks there are and in which order.
 * @throws PngError
 */
export function readChunks(file: Buffer): PngChunks {
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    throw new PngError('The file is not a PNG: it does not begin with the signature of one.');
  }
  const reader = new ChunkReader();
  let at = SIGNATURE.length;
  while (!reader.ended) {
    if (file.length - at < CHUNK_FRAME) throw new PngError('The PNG ends before its IEND chunk.');
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(type)) throw new PngError(`There is no PNG chunk at byte ${at}.`);
    const end = at + CHUNK_FRAME + length;
    if (end > file.length) throw new PngError(`The PNG's ${type} chunk at byte ${at} is cut off.`);
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) {
      throw new PngError(`The checksum of the PNG's ${type} chunk at byte ${at} is wrong.`);
    }
    reader.take(type, file.subarray(at + 8, end - 4));
    at = end;
  }
  if (at < file.length) throw new PngError(`${file.length - at} bytes follow the end of the PNG.`);
  return reader.result();
}

/** Holds chunks against the order that the specification demands. */
class ChunkReader {
  readonly #data: Buffer[] = [];
  readonly #metadata = new Metadata();
  #header: PngHeader | undefined;
  #hasPalette = false;
  #last = '';
  ended = false;

  take(type: string, body: Buffer): void {
    if ((this.#last === '') !== (type === 'IHDR')) {
      throw new PngError('A PNG has one IHDR chunk, which is its first.');
    }
    switch (type) {
      case 'IHDR':
        this.#header = readHeader(body);
        break;
      case 'PLTE':
        this.#takePalette(body);
        break;
      case 'IDAT':
        if (this.#data.length > 0 && this.#last !== 'IDAT') {
          throw new PngError("The PNG's IDAT chunks do not follow each other.");
        }
        this.#data.push(body);
        break;
      case 'IEND':
        if (body.length > 0) throw new PngError("The PNG's IEND chunk is not empty.");
        this.ended = true;
        break;
      default:
        // A capital first letter: the picture cannot be decoded without it.
        if (/^[A-Z]/.test(type)) throw new PngError(`The PNG has an unknown critical chunk, ${type}.`);
        if (!this.#metadata.take(type, body)) {
          throw new PngError(
            'The PNG has more texts and profiles beside its pixels than a decoder can unpack.',
          );
        }
    }
    this.#last = type;
  }

  #takePalette(body: Buffer): void {
    const header = this.#header;
    if (this.#hasPalette || this.#data.length > 0 || !header || GREYS.includes(header.colourType)) {
      throw new PngError('The PNG has a PLTE chunk where none may be.');
    }
    const colours = body.length / 3;
    const most = header.colourType === PALETTE ? 2 ** header.bitDepth : 256;
    if (!Number.isInteger(colours) || colours < 1 || colours > most) {
      throw new PngError(`The PNG's palette has ${body.length} bytes: that are not 1 to ${most} colours.`);
    }
    this.#hasPalette = true;
  }

  result(): PngChunks {
    const header = this.#header;
    if (!header || this.#data.length === 0) throw new PngError('The PNG has no IDAT chunk, so no pixels.');
    if (header.colourType === PALETTE && !this.#hasPalette) throw new PngError('The PNG has no palette.');
    return { header, data: this.#data };
  }
}

function readHeader(body: Buffer): PngHeader {
  if (body.length !== 13) throw new PngError("The PNG's IHDR chunk does not have 13 bytes.");
  const width = body.readUInt32BE(0);
  const height = body.readUInt32BE(4);
  const [bitDepth = 0, colourType = 0, compression, filter, interlace = 0] = body.subarray(8);
  if (width === 0 || height === 0) throw new PngError(`The PNG is empty: ${width} × ${height} pixels.`);
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) {
    const limit = `${MAX_SIDE} a side and ${MAX_PIXELS} in all`;
    throw new PngError(`The PNG is too large: ${width} × ${height} pixels; at most ${limit}.`);
  }
  if (!COLOUR_TYPES.get(colourType)?.depths.includes(bitDepth)) {
    throw new PngError(`There is no PNG of colour type ${colourType} and bit depth ${bitDepth}.`);
  }
  if (compression !== 0 || filter !== 0 || interlace > 1) {
    throw new PngError('The PNG has an unknown compression, filter or interlace method.');
  }
  return { width, height, bitDepth, colourType, interlaced: interlace === 1 };
}

/** The rows of the picture as they lie in the inflated data: `count` of `bytes` each, without the filter byte. */
export function rowsOf(header: PngHeader): { count: number; bytes: number }[] {
  const bits = header.bitDepth * (COLOUR_TYPES.get(header.colourType)?.channels ?? 0);
  const passes = header.interlaced ? ADAM7 : ([[0, 0, 1, 1]] as const);
  return passes
    .map(([x, y, stepX, stepY]) => ({
      count: Math.ceil((header.height - y) / stepY),
      bytes: Math.ceil((Math.ceil((header.width - x) / stepX) * bits) / 8),
    }))
    .filter(({ count, bytes }) => count > 0 && bytes > 0);
}

/** Inflates the pixels piece by piece, and no further than they go. */
async function checkPixels(header: PngHeader, data: readonly Buffer[]): Promise<void> {
  const rows = new RowCounter(rowsOf(header));
  const inflate = createInflate({ chunkSize: INFLATE_STEP });
  // At once: a file may have a hundred thousand parts, and each would be a task of its own.
  const compressed = Buffer.concat(data);
  inflate.end(compressed);
  try {
    for await (const piece of inflate) rows.take(piece);
  } catch (error) {
    if (error instanceof PngError) throw error;
    throw new PngError("The PNG's pixels do not decompress: they are damaged or cut off.");
  } finally {
    inflate.destroy();
  }
  rows.end();
  if (inflate.bytesWritten < compressed.length) {
    throw new PngError("The PNG's IDAT chunks hold more than its pixels.");
  }
}

/** Follows the inflated pixels from row to row: each begins with the number of its filter, 0 to 4. */
class RowCounter {
  readonly #passes: readonly { count: number; bytes: number }[];
  #pass = 0;
  #row = 0;
  /** Until the next row's filter byte. */
  #left = 0;

  constructor(passes: readonly { count: number; bytes: number }[]) {
    this.#passes = passes;
  }

  take(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#left === 0) {
        this.#begin(piece[at] ?? 0);
        at += 1;
      } else {
        const step = Math.min(this.#left, piece.length - at);
        this.#left -= step;
        at += step;
      }
    }
  }

  #begin(filter: number): void {
    const pass = this.#passes[this.#pass];
    if (!pass) throw new PngError("The PNG's pixel data is longer than its size says.");
    if (filter > 4) throw new PngError(`The PNG has a row with the unknown filter ${filter}.`);
    this.#left = pass.bytes;
    this.#row += 1;
    if (this.#row === pass.count) {
      this.#row = 0;
      this.#pass += 1;
    }
  }

  end(): void {
    if (this.#left > 0 || this.#pass < this.#passes.length) {
      throw new PngError("The PNG's pixel data is shorter than its size says.");
    }
  }
}
