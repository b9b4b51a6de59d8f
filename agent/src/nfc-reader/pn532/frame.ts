/**
 * The frames between the host and a PN532 (NXP UM0701-02, section 6.2.1). Pure.
 *
 * ```
 * normal    00 | 00 FF | LEN LCS              | TFI DATA… DCS | 00
 * extended  00 | 00 FF | FF FF LENM LENL LCS  | TFI DATA… DCS | 00
 * ACK       00 | 00 FF | 00 FF | 00       NACK  00 | 00 FF | FF 00 | 00
 * error     00 | 00 FF | 01 FF | 7F 81 | 00
 * ```
 */

/** TFI: the direction of a frame. */
export const TO_CHIP = 0xd4;
export const FROM_CHIP = 0xd5;
const APPLICATION_ERROR = 0x7f;

/** Longest data of a frame with its TFI, in bytes: a limit of the firmware. */
export const MAX_BODY_BYTES = 265;
/** Longest body of a normal frame, in bytes. */
const MAX_NORMAL_BYTES = 255;
/** What surrounds a body in an extended frame, in bytes. */
const EXTENDED_BYTES = 10;
export const MAX_FRAME_BYTES = MAX_BODY_BYTES + EXTENDED_BYTES;

const START = Buffer.of(0x00, 0xff);
export const ACK = Buffer.of(0x00, 0x00, 0xff, 0x00, 0xff, 0x00);
export const NACK = Buffer.of(0x00, 0x00, 0xff, 0xff, 0x00, 0x00);

export type Parsed =
  | { kind: 'ack' | 'nack' }
  /** The chip did not accept the command. */
  | { kind: 'error' }
  /** `data` begins with the code of the command or its answer. */
  | { kind: 'information'; tfi: number; data: Buffer }
  /** `bytes`: how many are needed from the beginning of the input on. */
  | { kind: 'incomplete'; bytes: number }
  | { kind: 'bad'; reason: string };

/**
 * The frame of a command.
 * @param data the command's code and parameters
 * @throws RangeError when it is empty or longer than the chip takes
 */
export function encodeFrame(data: Uint8Array, tfi = TO_CHIP): Buffer {
  const length = data.length + 1;
  if (length < 2 || length > MAX_BODY_BYTES) throw new RangeError(`a frame cannot have ${length} bytes`);
  const head =
    length <= MAX_NORMAL_BYTES
      ? [length, negative(length)]
      : [0xff, 0xff, length >> 8, length & 0xff, negative((length >> 8) + (length & 0xff))];
  const body = Buffer.of(tfi, ...data);
  return Buffer.concat([Buffer.of(0), START, Buffer.from(head), body, Buffer.of(negative(sum(body)), 0)]);
}

/** Reads the first frame in what the chip sent. Bytes before and after it are ignored. */
export function parseFrame(bytes: Buffer): Parsed {
  const start = bytes.indexOf(START);
  if (start < 0) return { kind: 'bad', reason: 'there is no start code' };
  const at = start + START.length;
  if (bytes.length < at + 2) return { kind: 'incomplete', bytes: at + 2 };
  const length = bytes.readUInt8(at);
  const checksum = bytes.readUInt8(at + 1);
  if (length === 0x00 && checksum === 0xff) return { kind: 'ack' };
  if (length === 0xff && checksum === 0x00) return { kind: 'nack' };
  if (length === 0xff && checksum === 0xff) {
    if (bytes.length < at + 5) return { kind: 'incomplete', bytes: at + 5 };
    return parseBody(bytes, at + 5, bytes.readUInt16BE(at + 2), sum(bytes.subarray(at + 2, at + 5)));
  }
  return parseBody(bytes, at + 2, length, length + checksum);
}

/** @param lengthSum the length with its checksum, whose low byte must be 0 */
function parseBody(bytes: Buffer, at: number, length: number, lengthSum: number): Parsed {
  if ((lengthSum & 0xff) !== 0) return { kind: 'bad', reason: 'the checksum of the length is wrong' };
  if (length < 1 || length > MAX_BODY_BYTES) return { kind: 'bad', reason: `a length of ${length}` };
  const end = at + length;
  if (bytes.length < end + 1) return { kind: 'incomplete', bytes: end + 1 };
  if ((sum(bytes.subarray(at, end + 1)) & 0xff) !== 0) {
    return { kind: 'bad', reason: 'the checksum of the data is wrong' };
  }
  const tfi = bytes.readUInt8(at);
  if (length === 1) {
    return tfi === APPLICATION_ERROR ? { kind: 'error' } : { kind: 'bad', reason: 'there is no data' };
  }
  return { kind: 'information', tfi, data: bytes.subarray(at + 1, end) };
}

function sum(bytes: Uint8Array): number {
  return bytes.reduce((total, byte) => total + byte, 0);
}

/** The byte that makes a sum 0. */
function negative(value: number): number {
  return -value & 0xff;
}
