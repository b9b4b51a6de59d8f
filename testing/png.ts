import { inflateSync } from 'node:zlib';
import { readChunks } from '../agent/src/resources/branding/png.ts';

/** A picture with 8 bits per channel, rows from top to bottom, tightly packed RGB. */
export interface Picture {
  width: number;
  height: number;
  rgb: Uint8Array;
}

export type Colour = [red: number, green: number, blue: number];

/** Bytes per pixel by colour type: 2 is RGB, 6 is RGBA. Screenshots use no other type. */
const CHANNELS = new Map([
  [2, 3],
  [6, 4],
]);

/** Decodes a PNG of 8-bit RGB or RGBA, not interlaced (PNG specification, third edition). Throws on anything else. */
export function decodePng(file: Buffer): Picture {
  const { header, pixels } = readChunks(file);
  const channels = CHANNELS.get(header.colourType);
  if (header.bitDepth !== 8 || !channels || header.interlaced) {
    throw new Error('a PNG that is not 8-bit RGB or RGBA, or is interlaced');
  }
  return unfilter(inflateSync(pixels), { ...header, channels });
}

function unfilter(
  raw: Buffer,
  { width, height, channels }: { width: number; height: number; channels: number },
): Picture {
  const stride = width * channels;
  if (raw.length !== (stride + 1) * height) throw new Error(`the PNG's data has ${raw.length} bytes`);
  const rgb = new Uint8Array(width * height * 3);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const filter = raw[start] ?? 0;
    const row = new Uint8Array(raw.subarray(start + 1, start + 1 + stride));
    for (let i = 0; i < stride; i++) {
      const left = i < channels ? 0 : (row[i - channels] ?? 0);
      const up = above[i] ?? 0;
      const corner = i < channels ? 0 : (above[i - channels] ?? 0);
      row[i] = (row[i] ?? 0) + predict(filter, left, up, corner);
    }
    for (let x = 0; x < width; x++)
      rgb.set(row.subarray(x * channels, x * channels + 3), (y * width + x) * 3);
    above = row;
  }
  return { width, height, rgb };
}

function predict(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
      if (a <= b && a <= c) return left;
      return b <= c ? up : corner;
    }
    default:
      throw new Error(`an unknown PNG filter: ${filter}`);
  }
}

/** The colour of the pixel at a position given as fractions of width and height, 0 to 1. */
export function colourAt({ width, height, rgb }: Picture, x: number, y: number): Colour {
  const column = Math.min(width - 1, Math.floor(x * width));
  const line = Math.min(height - 1, Math.floor(y * height));
  const at = (line * width + column) * 3;
  return [rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0];
}

/** Whether two colours differ by at most `tolerance` in every channel. */
export function near(a: Colour, b: Colour, tolerance = 6): boolean {
  return a.every((value, i) => Math.abs(value - (b[i] ?? 0)) <= tolerance);
}

/** Share of the pixels, 0 to 1, that are the same in both pictures; 0 when their sizes differ. */
export function agreement(a: Picture, b: Picture, tolerance = 6): number {
  if (a.width !== b.width || a.height !== b.height) return 0;
  let same = 0;
  for (let at = 0; at < a.rgb.length; at += 3) {
    const differs = (i: number): boolean => Math.abs((a.rgb[at + i] ?? 0) - (b.rgb[at + i] ?? 0)) > tolerance;
    if (!differs(0) && !differs(1) && !differs(2)) same++;
  }
  return same / (a.width * a.height);
}

/** Number of different colours in a picture; stops counting at `limit`. */
export function colourCount({ rgb }: Picture, limit = 100): number {
  const seen = new Set<number>();
  for (let at = 0; at < rgb.length && seen.size < limit; at += 3) {
    seen.add(((rgb[at] ?? 0) << 16) | ((rgb[at + 1] ?? 0) << 8) | (rgb[at + 2] ?? 0));
  }
  return seen.size;
}

/** Decodes a binary PPM with 8 bits per channel, as QEMU and grim write it. Throws on anything else. */
export function readPpm(file: Buffer): Picture {
  const [header = '', ...fields] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(file.toString('latin1', 0, 64)) ?? [];
  const [width = 0, height = 0] = fields.map(Number);
  const rgb = file.subarray(header.length);
  if (header === '' || rgb.length !== width * height * 3) throw new Error('not a complete PPM');
  return { width, height, rgb };
}
