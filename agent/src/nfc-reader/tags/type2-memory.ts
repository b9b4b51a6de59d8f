/** The memory of NFC Forum type 2 tags (Type 2 Tag technical specification, chapter 2.3). Pure. */

export const PAGE_BYTES = 4;
/** The page of the capability container (CC). */
export const CC_PAGE = 3;
/** The data area begins at page 4. */
export const DATA_START = 16;
/**
 * READ and WRITE have one byte for the page. Some tags have more pages behind SECTOR SELECT, which is not used: a page
 * beyond 255 would be another one, even that of the lock bits.
 */
export const MAX_MEMORY_BYTES = 256 * PAGE_BYTES;
/** Bytes of the data area whose lock bits are in page 2: pages 4 to 15. */
const STATIC_DATA_BYTES = 48;

const CC_MAGIC = 0xe1;
/** Unit of the size in the CC, in bytes. */
const SIZE_UNIT = 8;

const TLV_NULL = 0x00;
const TLV_LOCK_CONTROL = 0x01;
const TLV_MEMORY_CONTROL = 0x02;
const TLV_NDEF = 0x03;
const TLV_TERMINATOR = 0xfe;
/** A length that 2 bytes follow. */
const LONG_LENGTH = 0xff;

/** Most control TLVs. Real tags have two; hundreds would cost seconds. */
const MAX_CONTROLS = 16;

export interface Capabilities {
  /** Size of the data area, as far as it can be used, in bytes. */
  readonly size: number;
  readonly isReadable: boolean;
  readonly isWritable: boolean;
}

/** A part of the memory, in bytes from the start of page 0. */
export interface Area {
  readonly start: number;
  readonly length: number;
}

/** Where lock bits are, and how many bytes each of them locks. */
export interface LockBits {
  readonly start: number;
  readonly bits: number;
  readonly bytesPerBit: number;
}

/** Reads the CC. @returns undefined when the tag is not formatted for NDEF */
export function parseCapabilities(cc: Buffer): Capabilities | undefined {
  const [magic, version, size, access] = cc;
  if (magic !== CC_MAGIC || version === undefined || size === undefined || access === undefined) {
    return undefined;
  }
  // A higher major version may have another layout.
  if (version >> 4 !== 1 || size === 0) return undefined;
  return {
    size: Math.min(size * SIZE_UNIT, MAX_MEMORY_BYTES - DATA_START),
    isReadable: access >> 4 === 0,
    isWritable: (access & 0x0f) === 0,
  };
}

/** What the TLVs before the message say, and where the message is. */
export interface Layout {
  /** Position of the NDEF TLV's first byte, in {@link dataPositions}; undefined when there is none. */
  readonly tlv: number | undefined;
  /** The message's position there, and its length; undefined when it would be longer than the memory. */
  readonly message: Area | undefined;
  readonly reserved: readonly Area[];
  /** From a lock control TLV. */
  readonly lockBits: readonly LockBits[];
}

/** The positions of the data area's bytes that hold TLVs: all but the reserved ones. In bytes from page 0 on. */
export function dataPositions(size: number, reserved: readonly Area[]): number[] {
  const positions: number[] = [];
  for (let at = DATA_START; at < DATA_START + size; at++) {
    if (!reserved.some(({ start, length }) => at >= start && at < start + length)) positions.push(at);
  }
  return positions;
}

/**
 * Reads the TLVs up to the NDEF message.
 * @param memory what is known of the memory, from page 0 on
 * @returns a number of bytes when more of the memory is needed, undefined when the TLVs are malformed
 */
export function parseLayout(memory: Buffer, size: number): Layout | number | undefined {
  const reserved: Area[] = [];
  const lockBits: LockBits[] = [];
  let positions = dataPositions(size, reserved);
  let index = 0;
  /** The bytes from `from` on; a number when more of the memory is needed; undefined behind its end. */
  const take = (from: number, count: number): Buffer | number | undefined => {
    const last = positions[from + count - 1];
    if (last === undefined) return undefined;
    if (last >= memory.length) return last + 1;
    return Buffer.from(positions.slice(from, from + count).map((at) => memory.readUInt8(at)));
  };
  for (;;) {
    const tag = take(index, 1);
    if (typeof tag === 'number') return tag;
    if (!tag || tag[0] === TLV_TERMINATOR) return { tlv: undefined, message: undefined, reserved, lockBits };
    if (tag[0] === TLV_NULL) {
      index += 1;
      continue;
    }
    const head = takeLength(take, index + 1);
    if (typeof head === 'number' || !head) return head;
    const valueAt = index + 1 + head.bytes;
    if (tag[0] === TLV_NDEF) {
      const fits = valueAt + head.length <= positions.length;
      const message = fits ? { start: valueAt, length: head.length } : undefined;
      return { tlv: index, message, reserved, lockBits };
    }
    if (tag[0] === TLV_LOCK_CONTROL || tag[0] === TLV_MEMORY_CONTROL) {
      if (head.length !== 3 || reserved.length >= MAX_CONTROLS) return undefined;
      const value = take(valueAt, head.length);
      if (typeof value === 'number' || !value) return value;
      const { area, lock } = parseControl(value, tag[0] === TLV_LOCK_CONTROL);
      reserved.push(area);
      if (lock) lockBits.push(lock);
      positions = dataPositions(size, reserved);
    }
    index = valueAt + head.length;
  }
}

function takeLength(
  take: (from: number, count: number) => Buffer | number | undefined,
  at: number,
): { length: number; bytes: number } | number | undefined {
  const short = take(at, 1);
  if (typeof short === 'number' || !short) return short;
  const length = short.readUInt8(0);
  if (length !== LONG_LENGTH) return { length, bytes: 1 };
  const long = take(at + 1, 2);
  if (typeof long === 'number' || !long) return long;
  return { length: long.readUInt16BE(0), bytes: 3 };
}

/** The value of a lock control or memory control TLV: position, size, and how both are counted. */
function parseControl(value: Buffer, isLock: boolean): { area: Area; lock: LockBits | undefined } {
  const position = value.readUInt8(0);
  // 0 means 256.
  const size = value.readUInt8(1) || 256;
  const control = value.readUInt8(2);
  const start = (position >> 4) * 2 ** (control & 0x0f) + (position & 0x0f);
  if (!isLock) return { area: { start, length: size }, lock: undefined };
  return {
    area: { start, length: Math.ceil(size / 8) },
    lock: { start, bits: size, bytesPerBit: 2 ** (control >> 4) },
  };
}

/** Byte 6 of the answer to GET_VERSION (NXP NTAG21x and MF0ULx1 datasheets), and where these chips have lock bits. */
const KNOWN_CHIPS: ReadonlyMap<number | undefined, LockBits> = new Map([
  [0x0e, { start: 0x24 * PAGE_BYTES, bits: 10, bytesPerBit: 8 }],
  [0x0f, { start: 0x28 * PAGE_BYTES, bits: 12, bytesPerBit: 8 }],
  [0x11, { start: 0x82 * PAGE_BYTES, bits: 8, bytesPerBit: 64 }],
  [0x13, { start: 0xe2 * PAGE_BYTES, bits: 14, bytesPerBit: 64 }],
]);

/**
 * Where the lock bits of the data behind page 15 are, if no TLV says it.
 * @param version the answer to GET_VERSION; without it the specification's default counts
 */
export function defaultLockBits(size: number, version: Buffer | undefined): LockBits | undefined {
  if (size <= STATIC_DATA_BYTES) return undefined;
  const known = KNOWN_CHIPS.get(version?.[6]);
  if (known) return known;
  return { start: DATA_START + size, bits: Math.ceil((size - STATIC_DATA_BYTES) / 8), bytesPerBit: 8 };
}

/**
 * Whether a byte of the data area is locked.
 * @param page2 whose last two bytes lock pages 3 to 15
 */
export function isLockedStatically(position: number, page2: Buffer): boolean {
  const page = Math.floor(position / PAGE_BYTES);
  return page < 16 && ((page2.readUInt16LE(2) >> page) & 1) === 1;
}

/** Whether a byte behind page 15 is locked. @param bytes those of the lock bits */
export function isLockedDynamically(
  position: number,
  { bits, bytesPerBit }: LockBits,
  bytes: Buffer,
): boolean {
  const bit = Math.floor((position - DATA_START - STATIC_DATA_BYTES) / bytesPerBit);
  if (bit < 0 || bit >= bits) return false;
  return (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
}

/** The NDEF TLV of a message. */
export function ndefTlv(message: Buffer): Buffer {
  const length =
    message.length < LONG_LENGTH
      ? [message.length]
      : [LONG_LENGTH, message.length >> 8, message.length & 0xff];
  return Buffer.concat([Buffer.of(TLV_NDEF, ...length), message]);
}
