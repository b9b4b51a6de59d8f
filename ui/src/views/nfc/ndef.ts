/** NDEF messages (NFC Forum: NDEF, RTD Text, RTD URI, Smart Poster): what is on a tag. Pure. */
import { PREFIXES, prefixOf } from '../../../../client/ndef-uris.ts';

/** A part of a message. Its texts come from the tag: they are only ever shown as text. */
export type NdefRecord =
  /** @param language a language tag, as the writer gave it */
  | { readonly kind: 'text'; readonly text: string; readonly language: string }
  | { readonly kind: 'address'; readonly text: string }
  /** A file of a media type; its text, if it is one. */
  | {
      readonly kind: 'media';
      readonly type: string;
      readonly text: string | undefined;
      readonly size: number;
    }
  | { readonly kind: 'empty' }
  | { readonly kind: 'other'; readonly type: string; readonly size: number };

/** Most records that are read, and characters of each text. */
const MAX_RECORDS = 32;
const MAX_TEXT = 1000;

const FLAG = { begin: 0x80, end: 0x40, chunk: 0x20, short: 0x10, id: 0x08 } as const;
const FORMAT = { empty: 0, known: 1, media: 2, address: 3, external: 4 } as const;
const FORMAT_MASK = 0x07;
const UTF_16 = 0x80;
const LANGUAGE_MASK = 0x3f;
const SHORT_MAX = 0xff;

/** The records of a message; those of a smart poster in its place. @returns undefined if it is damaged or in chunks */
export function recordsOf(message: Uint8Array): NdefRecord[] | undefined {
  return readRecords(message, true);
}

function readRecords(message: Uint8Array, isOuter: boolean): NdefRecord[] | undefined {
  const records: NdefRecord[] = [];
  let at = 0;
  while (at < message.length && records.length < MAX_RECORDS) {
    const raw = readRecord(message, at);
    if (!raw) return undefined;
    const inner = isOuter && isPoster(raw) ? readRecords(raw.payload, false) : undefined;
    records.push(...(inner ?? [recordOf(raw)]));
    if (raw.isLast) break;
    at = raw.next;
  }
  return records.slice(0, MAX_RECORDS);
}

interface RawRecord {
  readonly format: number;
  readonly type: string;
  readonly payload: Uint8Array;
  readonly isLast: boolean;
  /** Where the next record begins. */
  readonly next: number;
}

function readRecord(message: Uint8Array, start: number): RawRecord | undefined {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const header = message[start] ?? 0;
  const isShort = (header & FLAG.short) !== 0;
  const hasId = (header & FLAG.id) !== 0;
  const typeAt = start + 2 + (isShort ? 1 : 4) + (hasId ? 1 : 0);
  if ((header & FLAG.chunk) !== 0 || typeAt > message.length) return undefined;
  const typeLength = view.getUint8(start + 1);
  const size = isShort ? view.getUint8(start + 2) : view.getUint32(start + 2);
  const idLength = hasId ? view.getUint8(typeAt - 1) : 0;
  const payloadAt = typeAt + typeLength + idLength;
  const next = payloadAt + size;
  if (next > message.length) return undefined;
  return {
    format: header & FORMAT_MASK,
    type: decode(message.subarray(typeAt, typeAt + typeLength)),
    payload: message.subarray(payloadAt, next),
    isLast: (header & FLAG.end) !== 0,
    next,
  };
}

function isPoster({ format, type }: RawRecord): boolean {
  return format === FORMAT.known && type === 'Sp';
}

function recordOf({ format, type, payload }: RawRecord): NdefRecord {
  const other: NdefRecord = { kind: 'other', type, size: payload.length };
  switch (format) {
    case FORMAT.empty:
      return { kind: 'empty' };
    case FORMAT.known:
      if (type === 'T') return textOf(payload) ?? other;
      if (type === 'U' && payload.length > 0) {
        const prefix = PREFIXES[payload[0] ?? 0] ?? '';
        return { kind: 'address', text: shorten(prefix + decode(payload.subarray(1))) };
      }
      return other;
    case FORMAT.media: {
      const text = /^text\/|json$|xml$/.test(type) ? shorten(decode(payload)) : undefined;
      return { kind: 'media', type, text, size: payload.length };
    }
    case FORMAT.address:
      return { kind: 'address', text: shorten(type) };
    default:
      return other;
  }
}

function textOf(payload: Uint8Array): NdefRecord | undefined {
  const status = payload[0];
  if (status === undefined) return undefined;
  const end = 1 + (status & LANGUAGE_MASK);
  if (end > payload.length) return undefined;
  const encoding = (status & UTF_16) === 0 ? 'utf-8' : 'utf-16be';
  const text = shorten(decode(payload.subarray(end), encoding));
  return { kind: 'text', text, language: decode(payload.subarray(1, end)) };
}

/** Bytes that are no text become U+FFFD. */
function decode(bytes: Uint8Array, encoding = 'utf-8'): string {
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
}

/** A message with one text. @param language of the text, for example `en` */
export function textMessage(text: string, language: string): Uint8Array {
  const tag = encode(language).slice(0, LANGUAGE_MASK);
  return singleRecord('T', [tag.length, ...tag, ...encode(text)]);
}

/** A message with one address, of a page for example. */
export function addressMessage(address: string): Uint8Array {
  const prefix = prefixOf(address);
  return singleRecord('U', [prefix.code, ...encode(address.slice(prefix.length))]);
}

function singleRecord(type: 'T' | 'U', payload: readonly number[]): Uint8Array {
  const size = payload.length;
  const isShort = size <= SHORT_MAX;
  const header = FLAG.begin | FLAG.end | FORMAT.known | (isShort ? FLAG.short : 0);
  const length = isShort ? [size] : [size >>> 24, (size >>> 16) & 0xff, (size >>> 8) & 0xff, size & 0xff];
  return Uint8Array.from([header, 1, ...length, ...encode(type), ...payload]);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
