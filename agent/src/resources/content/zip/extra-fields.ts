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
 * @param raw the name's bytes in this header
 */
export function readExtraFields(extra: Buffer, raw: Buffer): ExtraFields {
  if (extra.length === 0) return NONE;
  const found = { ...NONE };
  let unicodePath = false;
  let at = 0;
  while (at + 4 <= extra.length) {
    const id = extra.readUInt16LE(at);
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (end > extra.length) throw entryError(raw, 'has an extra field that ends outside its header');
    const data = extra.subarray(at + 4, end);
    if (id === ZIP64) {
      if (found.zip64) throw entryError(raw, 'has two zip64 fields');
      found.zip64 = data;
    } else if (id === UNICODE_PATH) {
      if (unicodePath) throw entryError(raw, 'has two fields with its name');
      unicodePath = true;
      checkUnicodePath(data, raw);
    } else if (id === EXTENDED_TIMESTAMP) {
      if (data.length >= 5 && (data.readUInt8(0) & 1) === 1) found.modifiedSeconds = data.readInt32LE(1);
    } else if (id === ASI_UNIX) {
      if (data.length >= 6) found.mode = data.readUInt16LE(4);
    } else if (id === AES || id === STRONG_ENCRYPTION) {
      throw entryError(raw, 'is encrypted');
    }
    at = end;
  }
  // Tools that align the data pad with zeros, down to less than a field's head.
  for (; at < extra.length; at++) {
    if (extra[at] !== 0) throw entryError(raw, 'has an extra field that is cut off');
  }
  return found;
}

/** Info-ZIP's second name: one of another spelling would be another file to another reader. */
function checkUnicodePath(data: Buffer, raw: Buffer): void {
  if (data.length < 5 || data.readUInt8(0) !== 1 || !data.subarray(5).equals(raw)) {
    throw entryError(raw, 'has an extra field with another name');
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
export function resolveZip64(extents: Extents, field: Buffer | undefined, raw: Buffer): Extents {
  const isSaturated = (key: keyof Extents) => extents[key] === (key === 'disk' ? SATURATED_16 : SATURATED_32);
  if (!field) {
    if (ORDER.some(isSaturated)) throw entryError(raw, 'lacks the zip64 field that its header announces');
    return extents;
  }
  const needed = ORDER.filter(isSaturated);
  const lists = [needed, ...FULL_LISTS.filter((list) => needed.every((key) => list.includes(key)))];
  const present = lists.find((list) => lengthOf(list) === field.length);
  if (!present) throw entryError(raw, 'has a zip64 field of the wrong length');
  const resolved = { ...extents };
  let at = 0;
  for (const key of present) {
    const value = key === 'disk' ? field.readUInt32LE(at) : Number(field.readBigUInt64LE(at));
    at += lengthOf([key]);
    if (!needed.includes(key) && value !== extents[key]) {
      throw entryError(raw, 'has a zip64 field that contradicts its header');
    }
    if (!Number.isSafeInteger(value)) throw entryError(raw, 'has a zip64 field with an impossible size');
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
