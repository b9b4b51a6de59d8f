import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Entry } from 'yauzl';
import { checkEndRecords, checkStart, START_BYTES } from './end-records.ts';
import { checkExtents, checkLocalHeader, descriptorLength, type Extent, HAS_DESCRIPTOR } from './local.ts';
import { NameTree, readName } from './names.ts';
import { type ByteSource, WindowedSource } from './source.ts';

import { entryError, quoted, type ZipDirectory, type ZipEntry, ZipError } from './zip-entry.ts';

const MAX_ENTRIES = 100_000;
/** An archive (or entry) that unpacks to more than BOMB_BYTES and to more than MAX_RATIO times its size is refused. */
const BOMB_BYTES = 1024 ** 3;
const MAX_RATIO = 200;
/** Entries that are read before the event loop gets its turn. */
const ENTRIES_PER_TURN = 500;
/** Version 6.3 of the format, the last one. */
const NEWEST_VERSION = 63;

const CENTRAL_HEADER_BYTES = 46;

/** Flag bits: encrypted, masked headers; yauzl refuses strong encryption. */
const ENCRYPTED = 0x2001;
const PATCHED = 0x0020;
const UTF8 = 0x0800;
const METHODS: Readonly<Record<number, ZipEntry['method']>> = { 0: 'stored', 8: 'deflate' };

/** By the type bits of a Unix mode. */
const KINDS: Readonly<Record<number, string>> = {
  16384: 'a folder',
  32768: 'a file',
  40960: 'a symbolic link',
};

/** Where reading has got to, for messages about errors of yauzl and of the source. */
interface Progress {
  place: 'at' | 'after';
  name?: string;
  /** What the source rejected with. */
  failure?: unknown;
}

/**
 * Reads the directory of an archive and makes every check that needs no unpacking (docs/decisions/0009-zip-reader.md).
 * Memory is bounded.
 * @throws ZipError when the archive is not valid; whatever the source rejects with
 */
export async function readDirectory(source: ByteSource): Promise<ZipDirectory> {
  const progress: Progress = { place: 'at' };
  try {
    return await readEntries(source, progress);
  } catch (error) {
    // yauzl reports invalid archives as plain errors.
    if (!(error instanceof Error) || error.name !== 'Error' || error === progress.failure) throw error;
    const place = progress.name === undefined ? '' : ` ${progress.place} the entry ${quoted(progress.name)}`;
    throw new ZipError(`The archive cannot be read${place}: ${error.message.replace(/[^.?]$/, '$&.')}`);
  }
}

async function readEntries(archive: ByteSource, progress: Progress): Promise<ZipDirectory> {
  const source: ByteSource = {
    size: archive.size,
    read: (...args) =>
      archive.read(...args).catch((error: unknown) => {
        progress.failure = error;
        throw error;
      }),
  };
  checkStart(await source.read(0, Math.min(START_BYTES, source.size)));
  const forDirectory = new WindowedSource(source);
  const forHeaders = new WindowedSource(source);
  let directoryStart = 0;
  // Loaded late, since the start of the agent needs no archive.
  const { fromRandomAccessReaderPromise, getFileNameLowLevel, parseExtraFields, RandomAccessReader } =
    await import('yauzl');
  class Reader extends RandomAccessReader {
    override read(
      buffer: Buffer,
      offset: number,
      length: number,
      position: number,
      callback: (error: Error | null) => void,
    ): void {
      if (position + length > source.size) {
        callback(new ZipError('The archive is cut off or damaged: it refers to bytes beyond its end.'));
        return;
      }
      const window = position < directoryStart ? forHeaders : forDirectory;
      window.read(position, length).then((bytes) => {
        bytes.copy(buffer, offset);
        callback(null);
      }, callback);
    }
  }
  const options = { decodeStrings: false, autoClose: false };
  const zip = await fromRandomAccessReaderPromise(new Reader(), source.size, options);
  if (zip.entryCount > MAX_ENTRIES) {
    throw new ZipError(`The archive has ${zip.entryCount} entries; ${MAX_ENTRIES} is the most.`);
  }
  const location = await checkEndRecords(forDirectory, zip.comment.length);
  directoryStart = location.start;
  const names = new NameTree();
  const extents: Extent[] = [];
  const entries = new Map<string, ZipEntry>();
  let directoryBytes = 0;
  let total = 0;
  for await (const central of zip.eachEntry()) {
    const name = readName(central.fileNameRaw);
    progress.place = 'at';
    progress.name = name;
    names.add(name);
    const entry = readCentral(central, name);
    const local = await zip.readLocalFileHeaderPromise(central);
    const localFields = parseExtraFields(local.extraField);
    checkLocalHeader(central, local, localFields, name);
    for (const fields of [central.extraFields, localFields]) {
      // Other readers prefer the UTF-8 name in Info-ZIP's extra field.
      const second = getFileNameLowLevel(UTF8, central.fileNameRaw, fields, true);
      if (second !== name) throw entryError(name, 'has an extra field with another name');
    }
    entry.dataStart = local.fileDataStart;
    entries.set(name, entry);
    let end = entry.dataStart + entry.compressedBytes;
    if (central.generalPurposeBitFlag & HAS_DESCRIPTOR) end += await descriptorLength(forHeaders, entry, end);
    extents.push({ name, start: central.relativeOffsetOfLocalHeader, end });
    total += entry.bytes;
    directoryBytes +=
      CENTRAL_HEADER_BYTES + central.fileNameLength + central.extraFieldLength + central.fileCommentLength;
    progress.place = 'after';
    if (extents.length % ENTRIES_PER_TURN === 0) await nextTurn();
  }
  if (directoryBytes !== location.bytes) {
    throw new ZipError(
      'The central directory of the archive does not have the size that its end record says.',
    );
  }
  if (isBomb(total, location.start)) {
    throw new ZipError(`The archive claims to unpack to ${total} bytes, over ${MAX_RATIO} times its size.`);
  }
  checkExtents(extents, location.start);
  return entries;
}

/** What the central directory says about an entry; the position of its data is in the local header. */
function readCentral(central: Entry, name: string): ZipEntry {
  const { generalPurposeBitFlag: flags, compressionMethod, crc32 } = central;
  const { compressedSize: compressedBytes, uncompressedSize: bytes } = central;
  if (flags & ENCRYPTED) throw entryError(name, 'is encrypted');
  if (flags & PATCHED) throw entryError(name, 'is a patch');
  const method = METHODS[compressionMethod];
  if (!method) {
    const supported = 'only stored (0) and deflate (8) are supported';
    throw entryError(name, `is packed with method ${compressionMethod}; ${supported}`);
  }
  if ((central.versionNeededToExtract & 0xff) > NEWEST_VERSION) {
    throw entryError(name, 'needs an unknown version of the format');
  }
  const isFolder = name.endsWith('/');
  if (isFolder && bytes !== 0) throw entryError(name, 'is a folder with content');
  // Whatever system the entry says it comes from: readers differ in whether they look there.
  const type = (central.externalFileAttributes >>> 16) & 0xf000;
  const expected = isFolder ? 'a folder' : 'a file';
  const kind = KINDS[type] ?? 'a special file';
  if (type !== 0 && kind !== expected) {
    throw entryError(name, `is ${kind} by its mode, but must be ${expected}`);
  }
  if (isBomb(bytes, compressedBytes)) {
    throw entryError(name, `claims to unpack to ${bytes} bytes, over ${MAX_RATIO} times its size`);
  }
  return { name, isFolder, method, crc32, compressedBytes, bytes, dataStart: 0 };
}

function isBomb(bytes: number, compressedBytes: number): boolean {
  return bytes > BOMB_BYTES && bytes > MAX_RATIO * compressedBytes;
}
