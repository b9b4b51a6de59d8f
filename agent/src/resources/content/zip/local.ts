/** What yauzl skips: local headers, data descriptors, and that nothing is hidden between the entries. */
import type { Entry, ExtraField, LocalFileHeader } from 'yauzl';
import type { ByteSource } from './source.ts';
import type { ZipEntry } from './zip-entry.ts';
import { entryError, ZipError } from './zip-entry.ts';

export const HAS_DESCRIPTOR = 0x0008;
/** Encryption, descriptor, patch, UTF-8, masked headers; the other flag bits say how the entry was packed. */
const COMPARED_FLAGS = 0x2869;
const ZIP64_FIELD = 1;
const DESCRIPTOR_SIGNATURE = 0x08074b50;
const MAX_DESCRIPTOR_BYTES = 24;

/** What an entry takes up outside the central directory: local header, data, data descriptor. */
export interface Extent {
  name: string;
  start: number;
  end: number;
}

/**
 * Compares a local header with the central directory: a streaming reader goes by the local headers alone.
 * @param extraFields of the local header
 * @throws ZipError when they differ
 */
export function checkLocalHeader(
  central: Entry,
  local: LocalFileHeader,
  extraFields: ExtraField[],
  name: string,
): void {
  const isLate = (central.generalPurposeBitFlag & HAS_DESCRIPTOR) !== 0;
  // What was not known yet when the local header was written is zero there and follows in the descriptor.
  const isSame = (value: number, expected: number) => value === expected || (isLate && value === 0);
  const zip64 = extraFields.find(({ id }) => id === ZIP64_FIELD)?.data;
  const resolve = (value: number, offset: number) =>
    value === 0xffff_ffff && zip64 && zip64.length >= offset + 8
      ? Number(zip64.readBigUInt64LE(offset))
      : value;
  const differing = {
    name: !local.fileName.equals(central.fileNameRaw),
    'set of flags': ((local.generalPurposeBitFlag ^ central.generalPurposeBitFlag) & COMPARED_FLAGS) !== 0,
    method: local.compressionMethod !== central.compressionMethod,
    'CRC-32': !isSame(local.crc32, central.crc32),
    size:
      !isSame(resolve(local.uncompressedSize, 0), central.uncompressedSize) ||
      !isSame(resolve(local.compressedSize, 8), central.compressedSize),
  };
  for (const [field, differs] of Object.entries(differing)) {
    if (differs) {
      throw entryError(name, `has another ${field} in its local header than in the central directory`);
    }
  }
}

/**
 * The length of the data descriptor at a position: with or without signature, with sizes of 4 or 8 bytes.
 * @throws ZipError when there is none that agrees with the central directory
 */
export async function descriptorLength(
  source: ByteSource,
  entry: ZipEntry,
  position: number,
): Promise<number> {
  const wide = Buffer.alloc(MAX_DESCRIPTOR_BYTES);
  wide.writeUInt32LE(DESCRIPTOR_SIGNATURE, 0);
  wide.writeUInt32LE(entry.crc32, 4);
  wide.writeBigUInt64LE(BigInt(entry.compressedBytes), 8);
  wide.writeBigUInt64LE(BigInt(entry.bytes), 16);
  const narrow = Buffer.concat([wide.subarray(0, 12), wide.subarray(16, 20)]);
  const found = await source.read(position, Math.min(MAX_DESCRIPTOR_BYTES, source.size - position));
  const forms = [wide, wide.subarray(4), narrow, narrow.subarray(4)];
  const form = forms.find((expected) => expected.equals(found.subarray(0, expected.length)));
  if (!form) throw entryError(entry.name, 'has no data descriptor that agrees with the central directory');
  return form.length;
}

/**
 * Checks that the entries fill the archive from its first byte to the central directory, without overlaps and gaps.
 * @param extents of all entries, in any order
 * @throws ZipError
 */
export function checkExtents(extents: Extent[], directoryStart: number): void {
  const sorted = extents.toSorted((a, b) => a.start - b.start);
  let end = 0;
  let previous: Extent | undefined;
  for (const extent of [...sorted, { name: '', start: directoryStart, end: directoryStart }]) {
    if (extent.start > end) {
      if (previous) throw entryError(previous.name, 'is followed by bytes that belong to no entry');
      throw new ZipError('The archive has bytes before its first entry.');
    }
    if (previous && extent.start < end)
      throw entryError(previous.name, 'overlaps what follows it in the archive');
    end = extent.end;
    previous = extent;
  }
}
