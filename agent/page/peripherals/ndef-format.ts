/** The binary form of NDEF messages (NFC Forum: NFC Data Exchange Format, NDEF). Pure. */
import { typeError } from './builtins.ts';

/** Longest message of a tag, in bytes: a type 4 tag's file is 65 535 with its length. */
export const MAX_MESSAGE_BYTES = 65_533;

/** Type name format: how to understand a record's type. */
export const TNF = {
  empty: 0,
  wellKnown: 1,
  mime: 2,
  absoluteUrl: 3,
  external: 4,
  unknown: 5,
  /** A chunk after the first one. */
  unchanged: 6,
} as const;

const FLAG = { begin: 0x80, end: 0x40, chunk: 0x20, short: 0x10, id: 0x08 } as const;
const TNF_MASK = 0x07;
const MAX_SHORT = 0xff;
const MAX_BYTE = 0xff;
/** Shortest record: header, type length, payload length. */
const MIN_RECORD_BYTES = 3;

/** A record as its fields are on the tag. */
export interface RawRecord {
  tnf: number;
  type: Uint8Array;
  /** Undefined if the record has no field for it. */
  id: Uint8Array | undefined;
  payload: Uint8Array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** UTF-8; what is not Unicode becomes U+FFFD. */
export const encodeText = (text: string): Uint8Array => encoder.encode(text);
export const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes);

/** @throws TypeError for a type or id of more than 255 bytes */
export function encodeRecords(records: readonly RawRecord[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [index, { tnf, type, id, payload }] of records.entries()) {
    if (type.length > MAX_BYTE) throw typeError('The type of a record has more than 255 bytes.');
    if (id && id.length > MAX_BYTE) throw typeError('The id of a record has more than 255 bytes.');
    const isShort = payload.length <= MAX_SHORT;
    const header =
      (index === 0 ? FLAG.begin : 0) |
      (index === records.length - 1 ? FLAG.end : 0) |
      (isShort ? FLAG.short : 0) |
      (id ? FLAG.id : 0) |
      tnf;
    const { length } = payload;
    const size = isShort
      ? [length]
      : [length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff];
    parts.push(Uint8Array.of(header, type.length, ...size, ...(id ? [id.length] : [])), type);
    if (id) parts.push(id);
    parts.push(payload);
  }
  return concat(parts);
}

/**
 * Splits a message into its records. What follows its end is ignored.
 * @param hasChunks whether chunks are put together; inside of a record there are none
 * @returns undefined for bytes that are not a message
 */
export function decodeRecords(message: Uint8Array, hasChunks: boolean): RawRecord[] | undefined {
  const records: RawRecord[] = [];
  /** The chunks of the record that goes on. */
  let chunks: Uint8Array[] | undefined;
  let at = 0;
  while (at < message.length) {
    const piece = decodeRecord(message, at);
    if (!piece || (at === 0 && (piece.header & FLAG.begin) === 0)) return undefined;
    const { header, record } = piece;
    const isChunk = hasChunks && (header & FLAG.chunk) !== 0;
    const last = records.at(-1);
    if (chunks && last) {
      if (record.tnf !== TNF.unchanged) return undefined;
      chunks.push(record.payload);
      if (!isChunk) {
        last.payload = concat(chunks);
        chunks = undefined;
      }
    } else {
      records.push(record);
      if (isChunk) chunks = [record.payload];
    }
    if ((header & FLAG.end) !== 0) break;
    at = piece.next;
  }
  return chunks ? undefined : records;
}

/** @returns undefined if it does not end before the message does */
function decodeRecord(
  message: Uint8Array,
  start: number,
): { header: number; record: RawRecord; next: number } | undefined {
  if (message.length - start < MIN_RECORD_BYTES) return undefined;
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const header = view.getUint8(start);
  const isShort = (header & FLAG.short) !== 0;
  const hasId = (header & FLAG.id) !== 0;
  const typeAt = start + 2 + (isShort ? 1 : 4) + (hasId ? 1 : 0);
  if (typeAt > message.length) return undefined;
  const size = isShort ? view.getUint8(start + 2) : view.getUint32(start + 2);
  const idAt = typeAt + view.getUint8(start + 1);
  const payloadAt = idAt + (hasId ? view.getUint8(typeAt - 1) : 0);
  const next = payloadAt + size;
  if (next > message.length) return undefined;
  const record = {
    tnf: header & TNF_MASK,
    type: message.slice(typeAt, idAt),
    id: hasId ? message.slice(idAt, payloadAt) : undefined,
    payload: message.slice(payloadAt, next),
  };
  return { header, record, next };
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
