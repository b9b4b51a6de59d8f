/** What a model of a tag answers: bytes, the 4 bits of a refusal, or nothing. */
export type TagAnswer = Buffer | 'nak' | undefined;

/** The NDEF message that is stored on a tag, whatever a reader makes of it. */
export interface TagContent {
  /** Length as the tag states it, in bytes. */
  length: number;
  /** Lower-case hexadecimal. */
  message: string;
}

/** A model of an ISO 14443-A tag. */
export interface Tag {
  /** As it answers the anti-collision; one with a random id has another each time that it gets power. */
  readonly uid: Buffer;
  /** SENS_RES in the order of the PN532: high byte first. */
  readonly atqa: Buffer;
  readonly sak: number;
  /** Answer to RATS with its length byte; only tags with ISO 14443-4 have one. */
  readonly ats: Buffer | undefined;
  /** Gets power, after none. */
  reset(): void;
  /** A reader has selected it anew. */
  activate(): void;
  /** Answers a command: with ISO 14443-4 an APDU, otherwise what is sent between start of frame and checksum. */
  exchange(data: Buffer): TagAnswer;
  /** undefined: it has no place for NDEF. */
  content(): TagContent | undefined;
}

/** Status words of ISO 7816-4 in front of which an answer may have data. */
export const answer = (status: number, data: Uint8Array = Buffer.alloc(0)): Buffer =>
  Buffer.concat([data, Buffer.from([status >> 8, status & 0xff])]);

/** A command of ISO 7816-4. */
export interface Apdu {
  ins: number;
  p1: number;
  p2: number;
  data: Buffer;
  /** Length of the answer that is asked for, in bytes; 0: none. */
  expected: number;
}

/** Splits a command of ISO 7816-4, short or extended; undefined if it is malformed. */
export function parseApdu(bytes: Buffer): Apdu | undefined {
  if (bytes.length < 4) return undefined;
  const [, ins = 0, p1 = 0, p2 = 0] = bytes;
  const rest = bytes.subarray(4);
  const apdu = (data: Buffer, expected: number): Apdu => ({ ins, p1, p2, data, expected });
  if (rest.length === 0) return apdu(rest, 0);
  if (rest.length === 1) return apdu(rest.subarray(1), rest.readUInt8(0) || 256);
  if (rest.readUInt8(0) !== 0) {
    const [data, le] = split(rest.subarray(1), rest.readUInt8(0));
    if (!data || !le || le.length > 1) return undefined;
    return apdu(data, le.length === 1 ? le.readUInt8(0) || 256 : 0);
  }
  if (rest.length === 3) return apdu(rest.subarray(3), rest.readUInt16BE(1) || 65_536);
  if (rest.length < 3) return undefined;
  const [data, le] = split(rest.subarray(3), rest.readUInt16BE(1));
  if (!data || !le || (le.length !== 0 && le.length !== 2)) return undefined;
  return apdu(data, le.length === 2 ? le.readUInt16BE(0) || 65_536 : 0);
}

function split(bytes: Buffer, at: number): [Buffer, Buffer] | [] {
  return bytes.length < at ? [] : [bytes.subarray(0, at), bytes.subarray(at)];
}
