import type { CentralEntry } from './central.ts';
import { readExtraFields, resolveZip64 } from './extra-fields.ts';
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
 * @param directoryStart where the central directory begins
 */
export async function checkLocalHeaders(
  source: ByteSource,
  entries: CentralEntry[],
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
      if (entry) entry.entry.dataStart = await checkHead(entry, source, range, bytes);
    }
  }
}

function headLength(entry: CentralEntry): number {
  return LOCAL_HEADER_BYTES + entry.raw.length;
}

/** Parts of the archive with each local header's head and the descriptor before it; the last ends at the directory. */
function* windows(entries: CentralEntry[], directoryStart: number): Generator<ByteRange> {
  let window: ByteRange | undefined;
  for (const entry of entries) {
    const start = Math.max(0, entry.localStart - LONGEST_DESCRIPTOR);
    const end = Math.min(
      directoryStart,
      entry.localStart + headLength(entry) + entry.extraBytes + EXTRA_GUESS_BYTES,
    );
    if (window && start - window.end < NEAR_BYTES && end - window.start <= WINDOW_BYTES) {
      window.end = Math.max(window.end, end);
    } else {
      if (window) yield window;
      window = { start, end };
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
  range: ByteRange,
  bytes: Buffer,
): Promise<number> {
  const { entry, raw, flags, localStart } = central;
  const head = bytes.subarray(localStart - range.start);
  if (head.length < LOCAL_HEADER_BYTES || head.readUInt32LE(0) !== LOCAL_HEADER) {
    throw entryError(raw, 'has no local header where the central directory says');
  }
  const differs = (what: string) =>
    entryError(raw, `has another ${what} in its local header than in the central directory`);
  if (((head.readUInt16LE(6) ^ flags) & FLAGS_THAT_MATTER) !== 0) throw differs('set of flags');
  if (head.readUInt16LE(8) !== (entry.method === 'stored' ? 0 : 8)) throw differs('method');
  const nameEnd = LOCAL_HEADER_BYTES + head.readUInt16LE(26);
  if (!head.subarray(LOCAL_HEADER_BYTES, nameEnd).equals(raw)) throw differs('name');
  const dataStart = localStart + nameEnd + head.readUInt16LE(28);
  if (dataStart > source.size) throw entryError(raw, 'has a local header that reaches beyond the archive');
  let extraBytes = head.subarray(nameEnd, dataStart - localStart);
  if (dataStart > range.end)
    extraBytes = await source.read(localStart + nameEnd, dataStart - localStart - nameEnd);
  const extra = readExtraFields(extraBytes, raw);
  const sizes = resolveZip64(
    { bytes: head.readUInt32LE(22), compressedBytes: head.readUInt32LE(18), localStart: 0, disk: 0 },
    extra.zip64,
    raw,
  );
  // What was not known yet when the header was written is zero there and follows in the descriptor.
  const isSame = (value: number, expected: number) =>
    value === expected || (value === 0 && (flags & HAS_DESCRIPTOR) !== 0);
  if (!isSame(head.readUInt32LE(14), entry.crc32)) throw differs('CRC-32');
  if (!isSame(sizes.bytes, entry.bytes) || !isSame(sizes.compressedBytes, entry.compressedBytes)) {
    throw differs('size');
  }
  return dataStart;
}

/** Checks what lies between an entry's data and the next thing in the archive: its descriptor, or nothing. */
function checkEnd(central: CentralEntry, next: number, range: ByteRange, bytes: Buffer): void {
  const { entry, raw, flags } = central;
  const dataEnd = entry.dataStart + entry.compressedBytes;
  const length = next - dataEnd;
  if (length < 0) throw entryError(raw, 'overlaps what follows it in the archive');
  if ((flags & HAS_DESCRIPTOR) === 0) {
    if (length > 0) throw entryError(raw, 'is followed by bytes that belong to no entry');
    return;
  }
  const wide = length === 20 || length === 24;
  if (length !== 12 && length !== 16 && !wide) {
    throw entryError(raw, 'is followed by bytes that are not its data descriptor');
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
  if (!agrees) throw entryError(raw, 'has a data descriptor that contradicts the central directory');
}
