import { entryError } from './zip-error.ts';

const ZIP64 = 0x0001;
const STRONG_ENCRYPTION = 0x0017;
const EXTENDED_TIMESTAMP = 0x5455;
const UNICODE_PATH = 0x7075;
const ASI_UNIX = 0x756e;
const AES = 0x9901;

const SATURATED_32 = 0xffff_ffff;
const SATURATED_16 = 0xffff;

/** What of an entry's extra fields matters here. */
export interface ExtraFields {
  zip64: Buffer | undefined;
  /** Time of modification in seconds since 1970, UTC. */
  modifiedSeconds: number | undefined;
  /** Unix mode of an ASi field. */
  mode: number | undefined;
}

const NONE: ExtraFields = { zip64: undefined, modifiedSeconds: undefined, mode: undefined };

/**
 * Reads the extra fields of a local or central header and refuses those that change what the entry is: encryption,
 * another name, the same important field twice.
 * @param bytes that hold them from `start` to `end`, which is not included
 * @param name in this header
 */
export function readExtraFields(bytes: Buffer, start: number, end: number, name: string): ExtraFields {
  if (start === end) return NONE;
  const found = { ...NONE };
  let unicodePath = false;
  let at = start;
  while (at + 4 <= end) {
    const id = bytes.readUInt16LE(at);
    const dataStart = at + 4;
    at = dataStart + bytes.readUInt16LE(at + 2);
    if (at > end) throw entryError(name, 'has an extra field that ends outside its header');
    if (id === ZIP64) {
      if (found.zip64) throw entryError(name, 'has two zip64 fields');
      found.zip64 = bytes.subarray(dataStart, at);
    } else if (id === UNICODE_PATH) {
      if (unicodePath) throw entryError(name, 'has two fields with its name');
      unicodePath = true;
      checkUnicodePath(bytes.subarray(dataStart, at), name);
    } else if (id === EXTENDED_TIMESTAMP) {
      const isGiven = at - dataStart >= 5 && (bytes.readUInt8(dataStart) & 1) === 1;
      if (isGiven) found.modifiedSeconds = bytes.readInt32LE(dataStart + 1);
    } else if (id === ASI_UNIX) {
      if (at - dataStart >= 6) found.mode = bytes.readUInt16LE(dataStart + 4);
    } else if (id === AES || id === STRONG_ENCRYPTION) {
      throw entryError(name, 'is encrypted');
    }
  }
  // Tools that align the data pad with zeros, down to less than a field's head.
  for (; at < end; at++) {
    if (bytes[at] !== 0) throw entryError(name, 'has an extra field that is cut off');
  }
  return found;
}

/** Info-ZIP's second name: one of another spelling would be another file to another reader. */
function checkUnicodePath(data: Buffer, name: string): void {
  if (data.length < 5 || data.readUInt8(0) !== 1 || !data.subarray(5).equals(Buffer.from(name))) {
    throw entryError(name, 'has an extra field with another name');
  }
}

/** The numbers of a header that a zip64 field may carry instead. */
export interface Extents {
  bytes: number;
  compressedBytes: number;
  /** Zero in local headers, which do not have it. */
  localStart: number;
  /** The part of the archive; zero in local headers. */
  disk: number;
}

/**
 * The extents with what the zip64 field carries for those that are saturated. Exactly these must be in the field, or
 * those that are not as well, the same as in the header: where two readers could see two sizes, the archive is refused.
 */
export function resolveZip64(extents: Extents, field: Buffer | undefined, name: string): Extents {
  const { bytes, compressedBytes, localStart, disk } = extents;
  if (!field) {
    const isSaturated =
      bytes === SATURATED_32 ||
      compressedBytes === SATURATED_32 ||
      localStart === SATURATED_32 ||
      disk === SATURATED_16;
    if (isSaturated) throw entryError(name, 'lacks the zip64 field that its header announces');
    return extents;
  }
  const needed = ORDER.filter((key) => extents[key] === (key === 'disk' ? SATURATED_16 : SATURATED_32));
  const lists = [needed, ...FULL_LISTS.filter((list) => needed.every((key) => list.includes(key)))];
  const present = lists.find((list) => lengthOf(list) === field.length);
  if (!present) throw entryError(name, 'has a zip64 field of the wrong length');
  const resolved = { ...extents };
  let at = 0;
  for (const key of present) {
    const value = key === 'disk' ? field.readUInt32LE(at) : Number(field.readBigUInt64LE(at));
    at += lengthOf([key]);
    if (!needed.includes(key) && value !== extents[key]) {
      throw entryError(name, 'has a zip64 field that contradicts its header');
    }
    if (!Number.isSafeInteger(value)) throw entryError(name, 'has a zip64 field with an impossible size');
    resolved[key] = value;
  }
  return resolved;
}

/** The order in a zip64 field. */
const ORDER = ['bytes', 'compressedBytes', 'localStart', 'disk'] as const;
/** What fields hold whose writer did not leave out what fits into the header. */
const FULL_LISTS = [2, 3, 4].map((count) => ORDER.slice(0, count));

function lengthOf(keys: readonly (keyof Extents)[]): number {
  return keys.reduce((sum, key) => sum + (key === 'disk' ? 4 : 8), 0);
}
