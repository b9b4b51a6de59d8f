import { MAX_DIRECTORY_BYTES, MAX_ENTRIES } from './limits.ts';
import type { ByteSource } from './source.ts';
import { ZipError } from './zip-error.ts';

const LOCAL_HEADER = Buffer.from('PK\x03\x04', 'latin1');
const END_RECORD = Buffer.from('PK\x05\x06', 'latin1');
export const START_BYTES = LOCAL_HEADER.length;
const ZIP64_END_RECORD = 0x06064b50;
const ZIP64_LOCATOR = 0x07064b50;
const CENTRAL_HEADER_BYTES = 46;
const END_RECORD_BYTES = 22;
const LOCATOR_BYTES = 20;
const ZIP64_END_RECORD_BYTES = 56;
const MAX_COMMENT_BYTES = 0xffff;

/** Where the central directory lies. */
export interface DirectoryLocation {
  start: number;
  bytes: number;
  entries: number;
}

interface EndRecord {
  position: number;
  disk: number;
  directoryDisk: number;
  entriesHere: number;
  entries: number;
  bytes: number;
  start: number;
}

/**
 * Looks at the first bytes of an archive, so that anything else need not be received.
 * @param start START_BYTES of them, or fewer while no more are there
 * @throws ZipError when no archive begins like that
 */
export function checkStart(start: Buffer): void {
  if (![LOCAL_HEADER, END_RECORD].some((magic) => magic.subarray(0, start.length).equals(start))) {
    throw new ZipError('This is not a zip archive: it does not start with an entry.');
  }
}

/**
 * Finds the central directory by the end records. There is exactly one answer or none: the last end record of the file,
 * and no other, must be followed by its own comment up to the last byte, and the directory by the end records without
 * a gap.
 */
export async function findDirectory(source: ByteSource): Promise<DirectoryLocation> {
  if (source.size < END_RECORD_BYTES) throw new ZipError('This is not a zip archive.');
  checkStart(await source.read(0, START_BYTES));
  const end = await findEndRecord(source);
  const zip64 = await readZip64(source, end);
  if (end.disk !== 0 || end.directoryDisk !== 0) throw new ZipError('The archive is one part of several.');
  if (end.entriesHere !== end.entries) {
    throw new ZipError('The archive is one part of several: its counts of entries differ.');
  }
  if (end.entries > MAX_ENTRIES) {
    throw new ZipError(`The archive has ${end.entries} entries; ${MAX_ENTRIES} is the most.`);
  }
  if (end.bytes > MAX_DIRECTORY_BYTES) {
    throw new ZipError(`The archive's central directory has more than ${MAX_DIRECTORY_BYTES} bytes.`);
  }
  if (end.start + end.bytes !== zip64) {
    throw new ZipError("The archive's central directory is not where its end record says.");
  }
  if (end.entries * CENTRAL_HEADER_BYTES > end.bytes) {
    throw new ZipError(
      "The archive's end record counts more entries than its central directory has room for.",
    );
  }
  return { start: end.start, bytes: end.bytes, entries: end.entries };
}

async function findEndRecord(source: ByteSource): Promise<EndRecord> {
  const length = Math.min(source.size, END_RECORD_BYTES + MAX_COMMENT_BYTES);
  const tail = await source.read(source.size - length, length);
  const at = tail.lastIndexOf(END_RECORD);
  if (at < 0) throw new ZipError('The archive is cut off or has bytes after its end: it has no end record.');
  if (!endsArchive(tail, at)) {
    throw new ZipError(
      'The archive is cut off, has bytes after its end, or a second end record in its comment.',
    );
  }
  for (let other = tail.indexOf(END_RECORD); other < at; other = tail.indexOf(END_RECORD, other + 1)) {
    if (endsArchive(tail, other)) throw new ZipError('The archive has a second end record in its comment.');
  }
  return {
    position: source.size - length + at,
    disk: tail.readUInt16LE(at + 4),
    directoryDisk: tail.readUInt16LE(at + 6),
    entriesHere: tail.readUInt16LE(at + 8),
    entries: tail.readUInt16LE(at + 10),
    bytes: tail.readUInt32LE(at + 12),
    start: tail.readUInt32LE(at + 16),
  };
}

/** Whether an end record at that place is followed by its own comment up to the last byte. */
function endsArchive(tail: Buffer, at: number): boolean {
  const end = at + END_RECORD_BYTES;
  return end <= tail.length && end + tail.readUInt16LE(at + 20) === tail.length;
}

/**
 * Puts what the zip64 end record says into `end`, if there is one.
 * @returns where the directory must end: at the first end record
 */
async function readZip64(source: ByteSource, end: EndRecord): Promise<number> {
  if (end.position < LOCATOR_BYTES) return end.position;
  const locator = await source.read(end.position - LOCATOR_BYTES, LOCATOR_BYTES);
  // Without a locator a saturated number stands for itself: 65 535 entries need no zip64.
  if (locator.readUInt32LE(0) !== ZIP64_LOCATOR) return end.position;
  const position = end.position - LOCATOR_BYTES - ZIP64_END_RECORD_BYTES;
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) {
    throw new ZipError('The archive is one part of several.');
  }
  if (position < 0 || locator.readBigUInt64LE(8) !== BigInt(position)) {
    throw new ZipError("The archive's zip64 end record is not where its locator says.");
  }
  const record = await source.read(position, ZIP64_END_RECORD_BYTES);
  if (record.readUInt32LE(0) !== ZIP64_END_RECORD || record.readBigUInt64LE(4) !== 44n) {
    throw new ZipError("The archive's zip64 end record is damaged.");
  }
  const take = (key: keyof EndRecord, value: bigint | number, saturated: number) => {
    if (value > Number.MAX_SAFE_INTEGER || (end[key] !== saturated && end[key] !== Number(value))) {
      throw new ZipError("The archive's zip64 end record contradicts its end record.");
    }
    end[key] = Number(value);
  };
  take('disk', record.readUInt32LE(16), 0xffff);
  take('directoryDisk', record.readUInt32LE(20), 0xffff);
  take('entriesHere', record.readBigUInt64LE(24), 0xffff);
  take('entries', record.readBigUInt64LE(32), 0xffff);
  take('bytes', record.readBigUInt64LE(40), 0xffff_ffff);
  take('start', record.readBigUInt64LE(48), 0xffff_ffff);
  return position;
}
