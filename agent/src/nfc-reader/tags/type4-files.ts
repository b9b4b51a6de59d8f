/** Commands and files of NFC Forum type 4 tags (Type 4 Tag technical specification 2.0, chapter 5). Pure. */

export const SELECT_APPLICATION = Buffer.from('00a4040007d276000085010100', 'hex');
export const CC_FILE = 0xe103;
/** Length of the CC file with one control TLV, in bytes. */
export const CC_BYTES = 15;
/** The length of the message at the beginning of the NDEF file, in bytes. */
export const NLEN_BYTES = 2;

/** READ BINARY and UPDATE BINARY have 15 bits for the offset. */
const OFFSETS = 0x8000;
/** Most data of a short APDU in one direction, in bytes. */
const SHORT_BYTES = 255;
const CONTROL_TLV = 0x04;
const CONTROL_BYTES = 6;
const GRANTED = 0x00;
const STATUS_BYTES = 2;
const DONE = 0x9000;

/** The capability container. */
export interface NdefFile {
  readonly id: number;
  /** Size with the length of the message, in bytes. */
  readonly size: number;
  /** Most data of one READ BINARY, and of one UPDATE BINARY, in bytes. */
  readonly readBytes: number;
  readonly writeBytes: number;
  readonly isReadable: boolean;
  readonly isWritable: boolean;
}

/** Reads the CC file. @returns undefined when it does not describe an NDEF file of version 2 or 3 */
export function parseCapabilityFile(cc: Buffer): NdefFile | undefined {
  if (cc.length < CC_BYTES) return undefined;
  const version = cc.readUInt8(2) >> 4;
  if ((version !== 2 && version !== 3) || cc.readUInt16BE(0) < CC_BYTES) return undefined;
  if (cc.readUInt8(7) !== CONTROL_TLV || cc.readUInt8(8) !== CONTROL_BYTES) return undefined;
  const readBytes = Math.min(cc.readUInt16BE(3), SHORT_BYTES);
  const writeBytes = Math.min(cc.readUInt16BE(5), SHORT_BYTES);
  const size = Math.min(cc.readUInt16BE(11), OFFSETS);
  if (readBytes < NLEN_BYTES || writeBytes < NLEN_BYTES || size < NLEN_BYTES) return undefined;
  return {
    id: cc.readUInt16BE(9),
    size,
    readBytes,
    writeBytes,
    isReadable: cc.readUInt8(13) === GRANTED,
    isWritable: cc.readUInt8(14) === GRANTED,
  };
}

/** SELECT by file identifier, without an answer's data. */
export function selectFile(id: number): Buffer {
  return Buffer.of(0x00, 0xa4, 0x00, 0x0c, 0x02, id >> 8, id & 0xff);
}

export function readBinary(offset: number, length: number): Buffer {
  return Buffer.of(0x00, 0xb0, offset >> 8, offset & 0xff, length);
}

export function updateBinary(offset: number, data: Buffer): Buffer {
  return Buffer.of(0x00, 0xd6, offset >> 8, offset & 0xff, data.length, ...data);
}

/** The data of an answer. @returns undefined when its status word is not 9000 */
export function answerData(answer: Buffer): Buffer | undefined {
  const end = answer.length - STATUS_BYTES;
  return end >= 0 && answer.readUInt16BE(end) === DONE ? answer.subarray(0, end) : undefined;
}
