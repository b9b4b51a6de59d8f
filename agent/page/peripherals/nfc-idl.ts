/** Conversions of what a page passes to Web NFC (https://w3c.github.io/web-nfc/#idl-index). */
import { NativeAbortSignal, toText, toWellFormed, typeError } from './builtins.ts';
import { MAX_DEPTH, type MessageInit, type RecordInit } from './ndef-encode.ts';
import { bytesIfAny, dictionary, isObject, optional, required, sequence } from './webidl.ts';

/** `USVString`. @throws TypeError for a symbol */
const scalarText = (value: unknown): string => toWellFormed(toText(value));

/** The `signal` of options. @throws TypeError for something else */
export function signalOf(value: unknown): AbortSignal | undefined {
  if (value === undefined || value === null || value instanceof NativeAbortSignal) return value ?? undefined;
  throw typeError('The signal is not an AbortSignal.');
}

/** `NDEFMessageInit`. @throws TypeError */
export function messageInit(value: unknown, depth = 0): MessageInit {
  if (depth > MAX_DEPTH) throw typeError(`Messages are nested deeper than ${MAX_DEPTH} levels.`);
  const records = dictionary(value, 'The message')('records');
  return { records: sequence(records, (record) => recordInit(record, depth), 'records') };
}

/** `NDEFRecordInit`. @throws TypeError */
export function recordInit(value: unknown, depth = 0): RecordInit {
  const read = dictionary(value, 'The record');
  // Members are read in the order of their names, as Web IDL says.
  const data = read('data');
  const encoding = optional(read('encoding'), scalarText);
  const id = optional(read('id'), scalarText);
  const lang = optional(read('lang'), scalarText);
  const mediaType = optional(read('mediaType'), scalarText);
  const recordType = scalarText(required(read('recordType'), 'recordType'));
  return { recordType, mediaType, id, encoding, lang, data: recordData(data, recordType, depth) };
}

/** `NDEFMessageSource`: a string or bytes become a message with one record. @throws TypeError */
export function messageSource(value: unknown): MessageInit {
  const bytes = bytesIfAny(value);
  if (bytes) {
    return { records: [{ recordType: 'mime', mediaType: 'application/octet-stream', data: bytes }] };
  }
  if (isObject(value) || value === undefined || value === null) return messageInit(value);
  return { records: [{ recordType: 'text', data: scalarText(value) }] };
}

function recordData(value: unknown, recordType: string, depth: number): RecordInit['data'] {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return scalarText(value);
  const bytes = bytesIfAny(value);
  if (bytes) return bytes;
  const canHaveMessage = recordType === 'smart-poster' || recordType.includes(':');
  return canHaveMessage && isObject(value) ? messageInit(value, depth + 1) : null;
}
