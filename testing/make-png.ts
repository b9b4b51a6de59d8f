/** Makes PNGs of every kind, valid and damaged, for tests. */
import { crc32, deflateSync } from 'node:zlib';
import { type PngHeader, rowLengths } from '../agent/src/resources/branding/png.ts';

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export const KINDS: readonly [colourType: number, bitDepth: number][] = [
  ...[1, 2, 4, 8, 16].map((depth): [number, number] => [0, depth]),
  ...[8, 16].map((depth): [number, number] => [2, depth]),
  ...[1, 2, 4, 8].map((depth): [number, number] => [3, depth]),
  ...[8, 16].map((depth): [number, number] => [4, depth]),
  ...[8, 16].map((depth): [number, number] => [6, depth]),
];

export function chunk(type: string, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const framed = Buffer.alloc(body.length + 12);
  framed.writeUInt32BE(body.length, 0);
  framed.write(type, 4, 'latin1');
  framed.set(body, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), framed.length - 4);
  return framed;
}

export function ihdr(header: Partial<PngHeader> = {}): Buffer {
  const { width, height, bitDepth, colourType, interlaced } = whole(header);
  const body = Buffer.alloc(13);
  body.writeUInt32BE(width, 0);
  body.writeUInt32BE(height, 4);
  body.set([bitDepth, colourType, 0, 0, interlaced ? 1 : 0], 8);
  return chunk('IHDR', body);
}

export function whole(header: Partial<PngHeader> = {}): PngHeader {
  return { width: 20, height: 11, bitDepth: 8, colourType: 2, interlaced: false, ...header };
}

/** Inflated pixels: rows with all filters in turn, filled with `value`. */
export function pixels(header: Partial<PngHeader> = {}, value = 0): Buffer {
  const rows = [...rowLengths(whole(header))].map((bytes, index) => {
    const row = Buffer.alloc(bytes, value);
    row[0] = index % 5;
    return row;
  });
  return Buffer.concat(rows);
}

export function palette({ bitDepth }: Pick<PngHeader, 'bitDepth'>): Buffer {
  return chunk('PLTE', Buffer.alloc(3 * 2 ** bitDepth, 0x40));
}

export function png(...chunks: Buffer[]): Buffer {
  return Buffer.concat([SIGNATURE, ...chunks]);
}

/** A valid PNG; what `header` leaves out has a default. */
export function makePng(header: Partial<PngHeader> = {}): Buffer {
  const full = whole(header);
  return png(
    ihdr(full),
    ...(full.colourType === 3 ? [palette(full)] : []),
    chunk('IDAT', deflateSync(pixels(full))),
    chunk('IEND'),
  );
}

/** An RGB picture of one colour. */
export function solidPng(width: number, height: number, colour: readonly [number, number, number]): Buffer {
  const row = Buffer.concat([
    Buffer.from([0]),
    Buffer.from(Array.from({ length: width }, () => colour).flat()),
  ]);
  const data = Buffer.concat(Array.from({ length: height }, () => row));
  return png(ihdr({ width, height }), chunk('IDAT', deflateSync(data)), chunk('IEND'));
}
