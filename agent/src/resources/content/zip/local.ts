import { type CentralEntry, checkMode } from './central.ts';
import { readExtraFields, resolveZip64 } from './extra-fields.ts';
import { ENTRIES_PER_TURN } from './limits.ts';
import { type ByteRange, type ByteSource, readAhead } from './source.ts';
import { entryError, ZipError } from './zip-error.ts';

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const DESCRIPTOR = 0x08074b50;
const LONGEST_DESCRIPTOR = 24;
const HAS_DESCRIPTOR = 0x0008;
/** Encryption, descriptor, patch, strong encryption, UTF-8, masked headers; the others say how hard was packed. */
const FLAGS_THAT_MATTER = 0x2869;

/** What is read behind a local header's name for its extra fields; they are often longer than the central ones. */
const EXTRA_GUESS_BYTES = 64;
/** Headers that lie closer together than this are read at once with the data between them. */
const NEAR_BYTES = 32 * 1024;
const WINDOW_BYTES = 256 * 1024;

/**
 * Compares every local header and data descriptor with the central directory, sets each entry's `dataStart`, and sees
 * to it that the entries, one after the other, fill the archive up to the central directory: nothing overlaps, and
 * nothing is hidden between, so that a reader who goes by the local headers finds the same entries.
 * @param entries in the order of `localStart`
 * @param directory the bytes of the central directory, which begin at `directoryStart` in the archive
 */
export async function checkLocalHeaders(
  source: ByteSource,
  entries: CentralEntry[],
  directory: Buffer,
  directoryStart: number,
): Promise<void> {
  const first = entries[0];
  if (!first) {
    if (directoryStart !== 0) throw new ZipError('The archive has bytes that belong to no entry.');
    return;
  }
  if (first.localStart !== 0) throw new ZipError('The archive has bytes before its first entry.');
  let next = 0;
  for await (const { range, bytes } of readAhead(source, windows(entries, directoryStart), WINDOW_BYTES)) {
    for (; next <= entries.length; next++) {
      const entry = entries[next];
      const start = entry?.localStart ?? directoryStart;
      // The window reaches behind the entry's header, or up to the directory with what is before that.
      if (entry ? start + headLength(entry) > range.end && range.end < directoryStart : start > range.end)
        break;
      const previous = entries[next - 1];
      if (previous) checkEnd(previous, start, range, bytes);
      if (entry) entry.entry.dataStart = await checkHead(entry, source, directory, range, bytes);
    }
  }
}

function headLength(entry: CentralEntry): number {
  return LOCAL_HEADER_BYTES + entry.nameBytes;
}

/** Parts of the archive with each local header's head and the descriptor before it; the last ends at the directory. */
function* windows(entries: CentralEntry[], directoryStart: number): Generator<ByteRange> {
  let window: ByteRange | undefined;
  let count = 0;
  for (const entry of entries) {
    const start = Math.max(0, entry.localStart - LONGEST_DESCRIPTOR);
    const end = Math.min(
      directoryStart,
      entry.localStart + headLength(entry) + entry.extraBytes + EXTRA_GUESS_BYTES,
    );
    const isNear = window && start - window.end < NEAR_BYTES && end - window.start <= WINDOW_BYTES;
    if (window && isNear && count < ENTRIES_PER_TURN) {
      window.end = Math.max(window.end, end);
      count++;
    } else {
      if (window) yield window;
      window = { start, end };
      count = 1;
    }
  }
  if (window) {
    const start = Math.max(0, directoryStart - LONGEST_DESCRIPTOR);
    if (start - window.end < NEAR_BYTES && directoryStart - window.start <= WINDOW_BYTES) {
      yield { start: window.start, end: directoryStart };
    } else {
      yield window;
      yield { start, end: directoryStart };
    }
  }
}

/** @returns where the entry's data begins */
async function checkHead(
  central: CentralEntry,
  source: ByteSource,
  directory: Buffer,
  range: ByteRange,
  bytes: Buffer,
): Promise<number> {
  const { entry, flags, localStart, nameStart, nameBytes } = central;
  const { name } = entry;
  const at = localStart - range.start;
  if (bytes.readUInt32LE(at) !== LOCAL_HEADER) {
    throw entryError(name, 'has no local header where the central directory says');
  }
  if (((bytes.readUInt16LE(at + 6) ^ flags) & FLAGS_THAT_MATTER) !== 0) throw differs(name, 'set of flags');
  if (bytes.readUInt16LE(at + 8) !== (entry.method === 'stored' ? 0 : 8)) throw differs(name, 'method');
  const nameEnd = at + LOCAL_HEADER_BYTES + nameBytes;
  const isSameName =
    bytes.readUInt16LE(at + 26) === nameBytes &&
    bytes.compare(directory, nameStart, nameStart + nameBytes, at + LOCAL_HEADER_BYTES, nameEnd) === 0;
  if (!isSameName) throw differs(name, 'name');
  const extraBytes = bytes.readUInt16LE(at + 28);
  const dataStart = range.start + nameEnd + extraBytes;
  if (dataStart > source.size) throw entryError(name, 'has a local header that reaches beyond the archive');
  const extra =
    dataStart <= range.end
      ? readExtraFields(bytes, nameEnd, nameEnd + extraBytes, name)
      : readExtraFields(await source.read(dataStart - extraBytes, extraBytes), 0, extraBytes, name);
  checkMode(name, entry.isFolder, extra.mode ?? 0);
  const written = { bytes: bytes.readUInt32LE(at + 22), compressedBytes: bytes.readUInt32LE(at + 18) };
  const sizes = resolveZip64({ ...written, localStart: 0, disk: 0 }, extra.zip64, name);
  const isLate = (flags & HAS_DESCRIPTOR) !== 0;
  if (!isSame(bytes.readUInt32LE(at + 14), entry.crc32, isLate)) throw differs(name, 'CRC-32');
  if (
    !isSame(sizes.bytes, entry.bytes, isLate) ||
    !isSame(sizes.compressedBytes, entry.compressedBytes, isLate)
  ) {
    throw differs(name, 'size');
  }
  return dataStart;
}

function differs(name: string, what: string): ZipError {
  return entryError(name, `has another ${what} in its local header than in the central directory`);
}

/** What was not known yet when the local header was written is zero there, and follows in the descriptor. */
function isSame(value: number, expected: number, isLate: boolean): boolean {
  return value === expected || (isLate && value === 0);
}

/** Checks what lies between an entry's data and the next thing in the archive: its descriptor, or nothing. */
function checkEnd(central: CentralEntry, next: number, range: ByteRange, bytes: Buffer): void {
  const { entry, flags } = central;
  const dataEnd = entry.dataStart + entry.compressedBytes;
  const length = next - dataEnd;
  if (length < 0) throw entryError(entry.name, 'overlaps what follows it in the archive');
  if ((flags & HAS_DESCRIPTOR) === 0) {
    if (length > 0) throw entryError(entry.name, 'is followed by bytes that belong to no entry');
    return;
  }
  const wide = length === 20 || length === 24;
  if (length !== 12 && length !== 16 && !wide) {
    throw entryError(entry.name, 'is followed by bytes that are not its data descriptor');
  }
  const descriptor = bytes.subarray(dataEnd - range.start, next - range.start);
  const signed = length === 16 || length === 24;
  const at = signed ? 4 : 0;
  const size = (offset: number) =>
    wide ? descriptor.readBigUInt64LE(offset) : BigInt(descriptor.readUInt32LE(offset));
  const agrees =
    (!signed || descriptor.readUInt32LE(0) === DESCRIPTOR) &&
    descriptor.readUInt32LE(at) === entry.crc32 &&
    size(at + 4) === BigInt(entry.compressedBytes) &&
    size(at + (wide ? 12 : 8)) === BigInt(entry.bytes);
  if (!agrees) throw entryError(entry.name, 'has a data descriptor that contradicts the central directory');
}
