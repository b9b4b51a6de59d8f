import { modeText } from './compositor-outputs.ts';

/** What a monitor reports about itself. */
export interface Edid {
  /** PNP id of the manufacturer, three letters. */
  make: string | null;
  /** Name from the monitor descriptor. */
  model: string | null;
  /** Modes of the detailed timings, `<width>x<height>@<refresh>`, the preferred one first. */
  modes: string[];
  /** Width and height of the picture in mm; null when it is not known. */
  sizeMm: { width: number; height: number } | null;
}

const HEADER = Buffer.from([0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00]);
const BLOCK_BYTES = 128;
const DESCRIPTORS = [54, 72, 90, 108];
const DESCRIPTOR_BYTES = 18;
const NAME_TAG = 0xfc;
/** No screen that shows pages is smaller. */
const MIN_MM = 30;

/**
 * Reads the base block of an EDID (VESA E-EDID 1.4, section 3). Monitors send anything: whatever breaks the standard is
 * ignored.
 * @returns undefined when the bytes are not an EDID
 */
export function parseEdid(bytes: Buffer): Edid | undefined {
  if (bytes.length < BLOCK_BYTES || !bytes.subarray(0, HEADER.length).equals(HEADER)) return undefined;
  const block = bytes.subarray(0, BLOCK_BYTES);
  if (block.reduce((sum, byte) => sum + byte, 0) % 256 !== 0) return undefined;
  const descriptors = DESCRIPTORS.map((start) => block.subarray(start, start + DESCRIPTOR_BYTES));
  const modes = descriptors.flatMap((descriptor) => timing(descriptor) ?? []);
  return {
    make: maker(block),
    model: name(descriptors),
    modes: [...new Set(modes)],
    sizeMm: size(block, descriptors[0]),
  };
}

/** Three letters of five bits each, A = 1. */
function maker(block: Buffer): string | null {
  const packed = block.readUInt16BE(8);
  const letters = [packed >> 10, packed >> 5, packed].map((bits) => bits & 0x1f);
  if (letters.some((letter) => letter < 1 || letter > 26)) return null;
  return String.fromCharCode(...letters.map((letter) => letter + 64));
}

/** In mm from the first timing, else in cm from the basic parameters. Projectors and adapters send 0 or a ratio. */
function size(block: Buffer, first: Buffer | undefined): Edid['sizeMm'] {
  const at = (index: number) => (first && timing(first) ? first.readUInt8(index) : 0);
  const exact = { width: at(12) | ((at(14) & 0xf0) << 4), height: at(13) | ((at(14) & 0x0f) << 8) };
  const rough = { width: block.readUInt8(21) * 10, height: block.readUInt8(22) * 10 };
  return (
    [exact, rough].find(
      ({ width, height }) => Math.min(width, height) >= MIN_MM && !isRatio(width, height),
    ) ?? null
  );
}

/** 16:9 and the like instead of a size. */
function isRatio(width: number, height: number): boolean {
  return [1, 10, 100].some((unit) => width === 16 * unit && (height === 9 * unit || height === 10 * unit));
}

function name(descriptors: Buffer[]): string | null {
  const found = descriptors.find(
    (descriptor) => descriptor.readUInt16BE(0) === 0 && descriptor[3] === NAME_TAG,
  );
  if (!found) return null;
  const text = found.subarray(5).toString('latin1').split('\n', 1)[0] ?? '';
  const clean = text.replaceAll(/[^\x20-\x7e]/g, '').trim();
  return clean === '' ? null : clean;
}

/** The mode of a detailed timing; undefined for other descriptors, whose pixel clock is zero. */
function timing(descriptor: Buffer): string | undefined {
  const clock = descriptor.readUInt16LE(0) * 10_000;
  const at = (index: number) => descriptor.readUInt8(index);
  const width = at(2) | ((at(4) & 0xf0) << 4);
  const blankX = at(3) | ((at(4) & 0x0f) << 8);
  const height = at(5) | ((at(7) & 0xf0) << 4);
  const blankY = at(6) | ((at(7) & 0x0f) << 8);
  const interlaced = (at(17) & 0x80) !== 0;
  if (clock === 0 || width === 0 || height === 0 || interlaced) return undefined;
  return modeText(width, height, clock / ((width + blankX) * (height + blankY)));
}
