import type { ByteSource } from './source.ts';
import { ZipError } from './zip-entry.ts';

const LOCAL_HEADER = Buffer.from('PK\x03\x04', 'latin1');
const END_RECORD = Buffer.from('PK\x05\x06', 'latin1');
/** What else people send, by its first byte. */
const OTHERS: Readonly<Record<number, string>> = {
  31: 'begins like a gzip file',
  60: 'begins like HTML; put index.html into a zip archive',
};
const END_RECORD_BYTES = 22;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_RECORD_BYTES = 56;
/** The central directory is small in any real bundle; this bounds the memory for its entries. */
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;

/** Length of the start of a file that {@link checkStart} looks at. */
export const START_BYTES = LOCAL_HEADER.length;

/**
 * Checks the first bytes of a file, so that an upload that is not a zip archive can be refused early.
 * @param start the first START_BYTES bytes, or fewer while no more have arrived
 * @throws ZipError when no archive starts like this
 */
export function checkStart(start: Buffer): void {
  if (![LOCAL_HEADER, END_RECORD].some((magic) => magic.subarray(0, start.length).equals(start))) {
    const other = OTHERS[start[0] ?? 0];
    throw new ZipError(`This is not a zip archive: it ${other ?? 'does not start with an entry'}.`);
  }
}

/**
 * Checks what yauzl skips in the end records: that they agree with each other and follow the central directory without
 * a gap, so that no other reader finds another directory.
 * @param comment length of the archive's comment in bytes, which follows the end record
 * @returns where the central directory is
 * @throws ZipError
 */
export async function checkEndRecords(
  source: ByteSource,
  comment: number,
): Promise<{ start: number; bytes: number }> {
  const position = source.size - comment - END_RECORD_BYTES;
  await refuseSecondEnd(source, position);
  const record = await source.read(position, END_RECORD_BYTES);
  const short = [4, 6, 8, 10].map((offset) => record.readUInt16LE(offset));
  let fields = [...short, record.readUInt32LE(12), record.readUInt32LE(16)];
  let end = position;
  const locatorStart = position - ZIP64_LOCATOR_BYTES;
  const locator = await source.read(Math.max(0, locatorStart), ZIP64_LOCATOR_BYTES);
  if (locatorStart >= 0 && locator.readUInt32LE(0) === ZIP64_LOCATOR) {
    end = locatorStart - ZIP64_RECORD_BYTES;
    if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) throw multipart();
    if (locator.readBigUInt64LE(8) !== BigInt(end)) {
      throw new ZipError("The archive's zip64 end record is not where its locator says.");
    }
    const zip64 = await source.read(end, ZIP64_RECORD_BYTES);
    const disks = [16, 20].map((offset) => zip64.readUInt32LE(offset));
    const long = [24, 32, 40, 48].map((offset) => Number(zip64.readBigUInt64LE(offset)));
    const resolved = [...disks, ...long];
    // A field that is all ones refers to the zip64 record.
    const agrees = fields.every(
      (value, i) => value === (i < short.length ? 0xffff : 0xffff_ffff) || value === resolved[i],
    );
    if (!agrees || zip64.readBigUInt64LE(4) !== BigInt(ZIP64_RECORD_BYTES - 12)) {
      throw new ZipError("The archive's zip64 end record contradicts its end record.");
    }
    fields = resolved;
  }
  const [, directoryDisk, entriesHere, entries, bytes = 0, start = 0] = fields;
  if (directoryDisk !== 0 || entriesHere !== entries) throw multipart();
  if (start + bytes !== end) {
    throw new ZipError("The archive's central directory is not where its end record says.");
  }
  if (bytes > MAX_DIRECTORY_BYTES) {
    throw new ZipError(`The archive's central directory is larger than ${MAX_DIRECTORY_BYTES} bytes.`);
  }
  return { start, bytes };
}

/** Refuses another end record whose comment reaches to the end of the file: a reader may take the first one. */
async function refuseSecondEnd(source: ByteSource, position: number): Promise<void> {
  const start = Math.max(0, source.size - END_RECORD_BYTES - 0xffff);
  const tail = await source.read(start, source.size - start);
  for (let at = tail.indexOf(END_RECORD); at < position - start; at = tail.indexOf(END_RECORD, at + 1)) {
    if (at + END_RECORD_BYTES + tail.readUInt16LE(at + 20) === tail.length) {
      throw new ZipError('The archive has two end records that fit.');
    }
  }
}

function multipart(): ZipError {
  return new ZipError('The archive is one part of a multi-part archive.');
}
