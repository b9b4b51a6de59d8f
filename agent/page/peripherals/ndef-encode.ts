/** Records that a page describes, as NDEF (https://w3c.github.io/web-nfc/#creating-ndef-message). Pure. */

import { prefixOf } from '../../src/resources/nfc/ndef-uris.ts';
import { domException, typeError } from './builtins.ts';
import { concat, encodeRecords, encodeText, type RawRecord, TNF } from './ndef-format.ts';
import { normalizedMimeType } from './ndef-mime.ts';
import { isLocalType, storedExternalType } from './ndef-names.ts';

/** Deepest nesting of messages in records. */
export const MAX_DEPTH = 32;
const MAX_LANGUAGE_BYTES = 63;
const UTF_16 = 0x80;
const ENCODINGS: readonly string[] = ['utf-8', 'utf-16', 'utf-16le', 'utf-16be'];
const DEFAULT_MIME_TYPE = 'application/octet-stream';
/** A smart poster has each of these once at most. */
const SINGLE = [':s', ':t', ':act'];
const MAX_SIZE_BYTES = 4;

/** `NDEFMessageInit`, with its members converted. */
export interface MessageInit {
  records: readonly RecordInit[];
}

/** `NDEFRecordInit`, with its members converted. */
export interface RecordInit {
  recordType: string;
  mediaType?: string | undefined;
  id?: string | undefined;
  encoding?: string | undefined;
  lang?: string | undefined;
  /** Null: there is something, but neither text nor bytes nor a message. */
  data?: string | Uint8Array | MessageInit | null | undefined;
}

/** What contains a record: nothing, or the record whose payload its message is. */
export type Context = '' | 'smart-poster' | 'external' | 'local';

/** Of a record in a message. */
interface Place {
  context: Context;
  /** Number of messages around the record. */
  depth: number;
  /** Language of texts that have none of their own. */
  language: string;
}

/**
 * @param language of texts that have none of their own
 * @throws TypeError, or a DOMException `SyntaxError`, as the specification says
 */
export function encodeMessage(message: MessageInit, language: string): Uint8Array {
  return encodeInner(message, { context: '', depth: 0, language });
}

function encodeInner({ records }: MessageInit, { depth, ...rest }: Place): Uint8Array {
  if (records.length === 0) throw typeError('The message has no records.');
  const place = { ...rest, depth: depth + 1 };
  if (place.depth > MAX_DEPTH) throw typeError(`Messages are nested deeper than ${MAX_DEPTH} levels.`);
  const raw = records.map((record) => encodeRecord(record, place));
  if (place.context !== 'smart-poster') return encodeRecords(raw);
  checkPoster(records.map(({ recordType }) => recordType));
  const address = records.findIndex(({ recordType }) => recordType === 'url');
  return encodeRecords([...raw.slice(address, address + 1), ...raw.filter((_, index) => index !== address)]);
}

/** @throws TypeError unless there is one address, and each of the others once at most */
export function checkPoster(types: readonly string[]): void {
  const count = (type: string) => types.filter((one) => one === type).length;
  if (count('url') !== 1) throw typeError('A smart poster has exactly one record "url".');
  const many = SINGLE.find((type) => count(type) > 1);
  if (many !== undefined) throw typeError(`A smart poster has more than one record "${many}".`);
}

/** @throws TypeError, or a DOMException `SyntaxError` */
export function encodeRecord(record: RecordInit, place: Place): RawRecord {
  const { recordType, mediaType, id } = record;
  if (mediaType !== undefined && recordType !== 'mime') {
    throw typeError(`A record "${recordType}" has no mediaType.`);
  }
  const fields = fieldsOf(record, place);
  return { ...fields, id: id === undefined ? undefined : encodeText(id) };
}

function fieldsOf(record: RecordInit, place: Place): Omit<RawRecord, 'id'> {
  const { recordType, data } = record;
  switch (recordType) {
    case 'empty':
      if (record.id !== undefined) throw typeError('An empty record has no id.');
      return { tnf: TNF.empty, type: encodeText(''), payload: encodeText('') };
    case 'text':
      return { tnf: TNF.wellKnown, type: encodeText('T'), payload: textPayload(record, place.language) };
    case 'url':
      return { tnf: TNF.wellKnown, type: encodeText('U'), payload: urlPayload(data) };
    case 'mime': {
      const type = normalizedMimeType(record.mediaType ?? '') ?? DEFAULT_MIME_TYPE;
      return { tnf: TNF.mime, type: encodeText(type), payload: bytesOf(data, recordType) };
    }
    case 'absolute-url':
      if (place.context === 'smart-poster') throw typeError('A smart poster has no record "absolute-url".');
      return { tnf: TNF.absoluteUrl, type: encodeText(parsedUrl(data).text), payload: encodeText('') };
    case 'smart-poster':
      if (!isMessage(data)) throw typeError('The data of a record "smart-poster" is not a message.');
      return {
        ...{ tnf: TNF.wellKnown, type: encodeText('Sp') },
        payload: encodeInner(data, { ...place, context: 'smart-poster' }),
      };
    case 'unknown':
      return { tnf: TNF.unknown, type: encodeText(''), payload: bytesOf(data, recordType) };
    default:
      return recordType.startsWith(':') ? localFields(record, place) : externalFields(record, place);
  }
}

function localFields({ recordType, data }: RecordInit, place: Place): Omit<RawRecord, 'id'> {
  const type = recordType.slice(1);
  if (place.context === '')
    throw typeError(`A record "${recordType}" is only allowed inside of another one.`);
  if (!isLocalType(type)) throw typeError(`"${recordType}" is not a record type.`);
  if (place.context === 'smart-poster') {
    const length = data instanceof Uint8Array ? data.length : -1;
    if (type === 's' && (length < 0 || length > MAX_SIZE_BYTES)) {
      throw typeError(`A record ":s" has ${MAX_SIZE_BYTES} bytes at most.`);
    }
    if (type === 'act' && length !== 1) throw typeError('A record ":act" has one byte.');
  }
  const payload = innerPayload(data, recordType, { ...place, context: 'local' });
  return { tnf: TNF.wellKnown, type: encodeText(type), payload };
}

function externalFields({ recordType, data }: RecordInit, place: Place): Omit<RawRecord, 'id'> {
  const type = storedExternalType(recordType);
  if (type === undefined) throw typeError(`"${recordType}" is not a record type.`);
  const payload = innerPayload(data, recordType, { ...place, context: 'external' });
  return { tnf: TNF.external, type: encodeText(type), payload };
}

function innerPayload(data: RecordInit['data'], recordType: string, place: Place): Uint8Array {
  return isMessage(data) ? encodeInner(data, place) : bytesOf(data, recordType);
}

function textPayload({ data, encoding = 'utf-8', lang }: RecordInit, documentLanguage: string): Uint8Array {
  if (typeof data !== 'string' && !(data instanceof Uint8Array)) {
    throw typeError('The data of a record "text" is neither a string nor bytes.');
  }
  if (typeof data === 'string' && encoding !== 'utf-8') {
    throw typeError('A string is written in utf-8 only; other encodings need bytes.');
  }
  if (!ENCODINGS.includes(encoding)) throw typeError(`The encoding is none of ${ENCODINGS.join(', ')}.`);
  const language = encodeText(lang ?? documentLanguage);
  if (language.length > MAX_LANGUAGE_BYTES) {
    throw domException('SyntaxError', `The language has more than ${MAX_LANGUAGE_BYTES} bytes.`);
  }
  const header = (encoding === 'utf-8' ? 0 : UTF_16) | language.length;
  return concat([Uint8Array.of(header), language, typeof data === 'string' ? encodeText(data) : data]);
}

function urlPayload(data: RecordInit['data']): Uint8Array {
  const { href } = parsedUrl(data);
  const { code, length } = prefixOf(href);
  return concat([Uint8Array.of(code), encodeText(href.slice(length))]);
}

function parsedUrl(data: RecordInit['data']): { text: string; href: string } {
  if (typeof data !== 'string') throw typeError('The data of a record with a URL is not a string.');
  if (!URL.canParse(data)) throw domException('SyntaxError', 'The URL cannot be parsed.');
  return { text: data, href: new URL(data).href };
}

function bytesOf(data: RecordInit['data'], recordType: string): Uint8Array {
  if (data instanceof Uint8Array) return data;
  throw typeError(`The data of a record "${recordType}" has a type that it cannot have.`);
}

function isMessage(data: RecordInit['data']): data is MessageInit {
  return typeof data === 'object' && data !== null && !(data instanceof Uint8Array);
}
