/** Frames of the PN532 (NXP UM0701-02, 6.2.1), as the chip reads and writes them. */

const START = Buffer.from([0x00, 0xff]);
const HOST_TO_CHIP = 0xd4;
const CHIP_TO_HOST = 0xd5;
export const ACK = Buffer.from('0000ff00ff00', 'hex');
/** What the chip answers to a command that it does not know. */
export const SYNTAX_ERROR = Buffer.from('0000ff01ff7f8100', 'hex');

export type FromHost = { kind: 'ack' | 'nack' | 'bad' } | { kind: 'command'; code: number; params: Buffer };

const sum = (bytes: Uint8Array): number => bytes.reduce((total, byte) => (total + byte) & 0xff, 0);
const complement = (byte: number): number => -byte & 0xff;

/** Reads a frame of the host. Bytes before its start are skipped. */
export function readFrame(bytes: Buffer): FromHost {
  const start = bytes.indexOf(START);
  if (start < 0) return { kind: 'bad' };
  const frame = bytes.subarray(start + 2);
  if (frame.length < 2) return { kind: 'bad' };
  if (frame.readUInt16BE(0) === 0x00ff) return { kind: 'ack' };
  if (frame.readUInt16BE(0) === 0xff00) return { kind: 'nack' };
  const isExtended = frame.readUInt16BE(0) === 0xffff;
  if (isExtended && frame.length < 5) return { kind: 'bad' };
  const length = isExtended ? frame.readUInt16BE(2) : frame.readUInt8(0);
  const begin = isExtended ? 5 : 2;
  const isLengthGood = sum(isExtended ? frame.subarray(2, 5) : frame.subarray(0, 2)) === 0;
  const data = frame.subarray(begin, begin + length);
  const checked = frame.subarray(begin, begin + length + 1);
  if (!isLengthGood || length < 2 || checked.length !== length + 1 || sum(checked) !== 0)
    return { kind: 'bad' };
  if (data[0] !== HOST_TO_CHIP) return { kind: 'bad' };
  return { kind: 'command', code: data.readUInt8(1), params: data.subarray(2) };
}

/** The frame of an answer; extended if it is longer than 255 bytes. */
export function answerFrame(code: number, data: Uint8Array): Buffer {
  const body = Buffer.from([CHIP_TO_HOST, code + 1, ...data]);
  const length = body.length;
  const head =
    length <= 0xff
      ? [length, complement(length)]
      : [0xff, 0xff, length >> 8, length & 0xff, complement((length >> 8) + length)];
  return Buffer.concat([
    Buffer.from([0x00, 0x00, 0xff, ...head]),
    body,
    Buffer.from([complement(sum(body)), 0x00]),
  ]);
}
