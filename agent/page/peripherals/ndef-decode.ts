/** NDEF as the records that pages see (https://w3c.github.io/web-nfc/#parsing-content). Pure. */

import { PREFIXES } from '../../src/resources/nfc/ndef-uris.ts';
import { typeError } from './builtins.ts';
import { type Context, checkPoster } from './ndef-encode.ts';
import { concat, decodeRecords, decodeText, encodeText, type RawRecord, TNF } from './ndef-format.ts';
import { normalizedMimeType } from './ndef-mime.ts';
import { isLocalType, shownExternalType } from './ndef-names.ts';

const UTF_16 = 0x80;
const LANGUAGE_MASK = 0x3f;
/** How many bytes these have in a smart poster. */
const POSTER_BYTES = new Map([
  ['s', 4],
  ['act', 1],
]);

/** The attributes of an NDEFRecord. */
export interface RecordFields {
  recordType: string;
  mediaType: string | null;
  id: string | null;
  data: Uint8Array | null;
  encoding: string | null;
  lang: string | null;
}

/**
 * The records of a tag's message. Those that Web NFC has no name for are left out.
 * @returns undefined for bytes that are not a message
 */
export function decodeMessage(bytes: Uint8Array): RecordFields[] | undefined {
  return decodeRecords(bytes, true)?.flatMap((raw) => {
    try {
      return decodeRecord(raw, '') ?? [];
    } catch {
      return [];
    }
  });
}

/**
 * The records in the payload of a record.
 * @returns null for bytes that are not a message
 * @throws TypeError for a record that is not allowed there
 */
export function decodePayload(bytes: Uint8Array, context: Exclude<Context, ''>): RecordFields[] | null {
  const raw = decodeRecords(bytes, false);
  if (!raw || raw.length === 0) return null;
  const records = raw.flatMap((record) => decodeRecord(record, context) ?? []);
  if (context === 'smart-poster') checkPoster(records.map(({ recordType }) => recordType));
  return records;
}

/** @returns undefined for an external type that is none @throws TypeError for a record that is not allowed there */
export function decodeRecord(raw: RawRecord, context: Context): RecordFields | undefined {
  const { tnf, payload } = raw;
  const type = decodeText(raw.type);
  const fields: RecordFields = {
    ...{ recordType: '', mediaType: null, id: raw.id ? decodeText(raw.id) : null },
    ...{ data: payload, encoding: null, lang: null },
  };
  switch (tnf) {
    case TNF.empty:
      return { ...fields, recordType: 'empty', id: null, data: null };
    case TNF.wellKnown:
      return wellKnown(fields, type, payload, context);
    case TNF.mime:
      return { ...fields, recordType: 'mime', mediaType: normalizedMimeType(type) ?? type };
    case TNF.absoluteUrl:
      return { ...fields, recordType: 'absolute-url', data: raw.type };
    case TNF.external: {
      const recordType = shownExternalType(type);
      return recordType === undefined ? undefined : { ...fields, recordType };
    }
    case TNF.unknown:
      return { ...fields, recordType: 'unknown' };
    default:
      throw typeError('The record has a type name format that is not known.');
  }
}

function wellKnown(fields: RecordFields, type: string, payload: Uint8Array, context: Context): RecordFields {
  const data = payload.length > 0 ? payload : null;
  if (type === 'T') return { ...fields, recordType: 'text', ...textOf(payload) };
  if (type === 'U') return { ...fields, recordType: 'url', data: data && addressOf(data) };
  if (type === 'Sp') return { ...fields, recordType: 'smart-poster', data };
  if (context === '' || !isLocalType(type)) throw typeError(`A record "${type}" is not allowed here.`);
  const length = context === 'smart-poster' ? POSTER_BYTES.get(type) : undefined;
  if (length !== undefined && payload.length !== length) {
    throw typeError(`The record ":${type}" of a smart poster does not have ${length} bytes.`);
  }
  return { ...fields, recordType: `:${type}` };
}

/** @throws TypeError for a language that is longer than the payload */
function textOf(payload: Uint8Array): Pick<RecordFields, 'data' | 'encoding' | 'lang'> {
  const [header] = payload;
  if (header === undefined) return { data: null, encoding: null, lang: null };
  const end = 1 + (header & LANGUAGE_MASK);
  if (end > payload.length) throw typeError('The language of the text is cut off.');
  return {
    data: payload.slice(end),
    encoding: (header & UTF_16) === 0 ? 'utf-8' : 'utf-16be',
    lang: decodeText(payload.subarray(1, end)),
  };
}

function addressOf(payload: Uint8Array): Uint8Array {
  const prefix = PREFIXES[payload[0] ?? 0];
  return prefix === undefined ? payload : concat([encodeText(prefix), payload.subarray(1)]);
}
