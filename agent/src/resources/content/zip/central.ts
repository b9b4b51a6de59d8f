import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DirectoryLocation } from './end-records.ts';
import { readExtraFields, resolveZip64 } from './extra-fields.ts';
import { BOMB_BYTES, DIRECTORY_BYTES_PER_TURN, MAX_RATIO } from './limits.ts';
import { NameRegister, readName } from './names.ts';
import { entryError, ZipError } from './zip-error.ts';

const CENTRAL_HEADER = 0x02014b50;
const CENTRAL_HEADER_BYTES = 46;
const LOCAL_HEADER_BYTES = 30;
/** Of the specification's last version, 6.3. */
const NEWEST_VERSION = 63;

const ENCRYPTED = 0x0001;
const PATCHED = 0x0020;
const STRONGLY_ENCRYPTED = 0x0040;
const MASKED = 0x2000;

const STORED = 0;
const DEFLATE = 8;
const AES = 99;

const DOS_FOLDER = 0x10;
const MODE_TYPE = 0xf000;
const FILE_MODE = 0x8000;
const FOLDER_MODE = 0x4000;
const SPECIAL_MODES: Readonly<Record<number, string>> = {
  4096: 'a fifo',
  8192: 'a character device',
  24576: 'a block device',
  40960: 'a symbolic link',
  49152: 'a socket',
};

/** An entry of an archive. */
export interface ZipEntry {
  /** Path inside the archive, segments divided by slashes; a folder's ends with one. */
  name: string;
  isFolder: boolean;
  method: 'stored' | 'deflate';
  /** Of the unpacked bytes. */
  crc32: number;
  compressedBytes: number;
  /** Unpacked. */
  bytes: number;
  /** Where in the archive the first byte of the data lies. */
  dataStart: number;
  /** UTC; what an entry without an extended timestamp says in its packer's local time counts as UTC. */
  modified: Date;
}

/** What the central directory says about an entry; `dataStart` is found with the local header. */
export interface CentralEntry {
  entry: ZipEntry;
  flags: number;
  localStart: number;
  /** Where in the directory the name lies, and what lengths its header has. */
  nameStart: number;
  nameBytes: number;
  extraBytes: number;
}

/**
 * Reads the central directory's entries and refuses what no bundle may hold.
 * @param directory its bytes, all of them
 */
export async function readCentralEntries(
  directory: Buffer,
  location: DirectoryLocation,
): Promise<CentralEntry[]> {
  const found: CentralEntry[] = [];
  const names = new NameRegister();
  let total = 0;
  let at = 0;
  let turnEnds = DIRECTORY_BYTES_PER_TURN;
  for (let index = 0; index < location.entries; index++) {
    if (at >= turnEnds) {
      await nextTurn();
      turnEnds = at + DIRECTORY_BYTES_PER_TURN;
    }
    if (at + CENTRAL_HEADER_BYTES > directory.length || directory.readUInt32LE(at) !== CENTRAL_HEADER) {
      throw new ZipError(`The archive's central directory is damaged at entry ${index + 1}.`);
    }
    const end =
      at +
      CENTRAL_HEADER_BYTES +
      directory.readUInt16LE(at + 28) +
      directory.readUInt16LE(at + 30) +
      directory.readUInt16LE(at + 32);
    if (end > directory.length) {
      throw new ZipError(`The archive's central directory ends within entry ${index + 1}.`);
    }
    const central = readCentralEntry(directory, at, location.start);
    names.add(central.entry.name);
    total += central.entry.bytes;
    found.push(central);
    at = end;
  }
  if (at !== directory.length) {
    throw new ZipError('The archive has more in its central directory than its end record counts.');
  }
  if (isBomb(total, location.start)) {
    throw new ZipError(`The archive claims to unpack to ${total} bytes, over ${MAX_RATIO} times its size.`);
  }
  return found;
}

function isBomb(bytes: number, compressedBytes: number): boolean {
  return bytes > BOMB_BYTES && bytes > MAX_RATIO * compressedBytes;
}

/** @param at where in the directory the entry's record begins, all of which is there */
function readCentralEntry(directory: Buffer, at: number, directoryStart: number): CentralEntry {
  const nameStart = at + CENTRAL_HEADER_BYTES;
  const nameBytes = directory.readUInt16LE(at + 28);
  const extraBytes = directory.readUInt16LE(at + 30);
  const nameEnd = nameStart + nameBytes;
  const name = readName(directory.subarray(nameStart, nameEnd));
  const flags = directory.readUInt16LE(at + 8);
  const method = readMethod(flags, directory.readUInt16LE(at + 10), name);
  if (directory.readUInt8(at + 6) > NEWEST_VERSION) {
    throw entryError(name, 'needs an unknown version of the format');
  }
  const extra = readExtraFields(directory, nameEnd, nameEnd + extraBytes, name);
  const { bytes, compressedBytes, localStart, disk } = resolveZip64(
    {
      bytes: directory.readUInt32LE(at + 24),
      compressedBytes: directory.readUInt32LE(at + 20),
      localStart: directory.readUInt32LE(at + 42),
      disk: directory.readUInt16LE(at + 34),
    },
    extra.zip64,
    name,
  );
  if (disk !== 0) throw entryError(name, 'lies in another part of the archive');
  const isFolder = name.endsWith('/');
  checkKind(name, isFolder, directory.readUInt32LE(at + 38), extra.mode);
  if (localStart + LOCAL_HEADER_BYTES + nameBytes + compressedBytes > directoryStart) {
    throw entryError(name, 'reaches beyond the data of the archive');
  }
  if (method === 'stored' && bytes !== compressedBytes) {
    throw entryError(name, 'is stored with two different sizes');
  }
  if (isFolder && bytes !== 0) throw entryError(name, 'is a folder with content');
  if (isBomb(bytes, compressedBytes)) {
    throw entryError(name, `claims to unpack to ${bytes} bytes, over ${MAX_RATIO} times its size`);
  }
  const modified =
    extra.modifiedSeconds === undefined
      ? readDosTime(directory.readUInt16LE(at + 14), directory.readUInt16LE(at + 12))
      : new Date(extra.modifiedSeconds * 1000);
  const crc32 = directory.readUInt32LE(at + 16);
  const entry: ZipEntry = { name, isFolder, method, crc32, compressedBytes, bytes, dataStart: 0, modified };
  return { entry, flags, localStart, nameStart, nameBytes, extraBytes };
}

function readMethod(flags: number, method: number, name: string): ZipEntry['method'] {
  if ((flags & (ENCRYPTED | STRONGLY_ENCRYPTED | MASKED)) !== 0 || method === AES) {
    throw entryError(name, 'is encrypted');
  }
  if ((flags & PATCHED) !== 0) throw entryError(name, 'is a patch');
  if (method === STORED) return 'stored';
  if (method === DEFLATE) return 'deflate';
  throw entryError(name, `is packed with method ${method}; only stored (0) and deflate (8) are supported`);
}

/** Unix modes count whatever system the entry says it comes from: readers differ in whether they look there. */
function checkKind(name: string, isFolder: boolean, attributes: number, extraMode: number | undefined): void {
  checkMode(name, isFolder, attributes >>> 16);
  checkMode(name, isFolder, extraMode ?? 0);
  if (!isFolder && (attributes & DOS_FOLDER) !== 0) {
    throw entryError(name, 'is a file by its name but not by its attributes');
  }
}

/** Refuses what is neither a file nor a folder, or the other of the two than its name says; 0 says nothing. */
export function checkMode(name: string, isFolder: boolean, mode: number): void {
  const type = mode & MODE_TYPE;
  if (type === 0) return;
  if (type !== FILE_MODE && type !== FOLDER_MODE) {
    throw entryError(
      name,
      `is ${SPECIAL_MODES[type] ?? 'a special file'}; only files and folders are allowed`,
    );
  }
  if ((type === FOLDER_MODE) !== isFolder) {
    throw entryError(name, `is a ${isFolder ? 'folder' : 'file'} by its name but not by its mode`);
  }
}

function readDosTime(date: number, time: number): Date {
  const year = 1980 + (date >>> 9);
  return new Date(
    Date.UTC(year, ((date >>> 5) & 15) - 1, date & 31, time >>> 11, (time >>> 5) & 63, (time & 31) * 2),
  );
}
