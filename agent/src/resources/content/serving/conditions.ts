/**
 * Conditional requests, byte ranges and content coding by RFC 9110. Entries carry no date of change: a zip's times
 * have no zone and a replaced bundle may bring older ones. So the conditions on dates do not apply, as the RFC has
 * it for resources without one (sections 13.1.3 to 13.1.5), and the entity tag alone decides.
 */

import type { ByteRange } from '../zip/index.ts';

/** The request headers that decide, as Node gives them: lower-case names, repeated lists joined by commas. */
export interface RequestConditions {
  'if-match'?: string | undefined;
  'if-none-match'?: string | undefined;
  'if-range'?: string | undefined;
  range?: string | undefined;
  'accept-encoding'?: string | undefined;
}

/** One entity-tag and the comma or end behind it, from lastIndex on (section 8.8.3); list elements may be empty. */
const LISTED_TAG = /[ \t,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,[ \t,]*|$)/y;

/**
 * Whether a list of entity tags, or `*`, names one.
 * @param weakly leaves out of account which of the two tags is weak (section 8.8.3.2)
 */
function names(list: string, etag: string, weakly: boolean): boolean {
  if (list.trim() === '*') return true;
  LISTED_TAG.lastIndex = 0;
  while (LISTED_TAG.lastIndex < list.length) {
    const found = LISTED_TAG.exec(list);
    if (!found) return false; // not a list of tags from here on
    if (found[2] === etag && (weakly || found[1] === undefined)) return true;
  }
  return false;
}

/**
 * The preconditions of a GET or HEAD in the order of section 13.2.2.
 * @param etag of the selected representation, strong
 */
export function precondition(
  headers: RequestConditions,
  etag: string,
): 'holds' | 'not_modified' | 'precondition_failed' {
  const match = headers['if-match'];
  if (match !== undefined && !names(match, etag, false)) return 'precondition_failed';
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined && names(noneMatch, etag, true)) return 'not_modified';
  return 'holds';
}

/** A single range; of several, and of anything else, the whole is a right answer (section 14.2). */
const SINGLE_RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;

/**
 * What a GET's Range asks for (section 14.1.2).
 * @param etag of the representation in bytes as they are
 * @param bytes its size
 * @returns undefined when the whole is to be sent: no range, not one of bytes, or an If-Range for another version
 */
export function requestedRange(
  headers: RequestConditions,
  etag: string,
  bytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const range = headers.range;
  if (range === undefined) return undefined;
  const condition = headers['if-range'];
  if (condition !== undefined && condition.trim() !== etag) return undefined; // strong comparison, or a date
  const parts = SINGLE_RANGE.exec(range.trim());
  // Nothing of nothing: Content-Range has no words for an empty range, and the whole is what was asked for.
  if (!parts || bytes === 0) return undefined;
  const [, first, last, suffix] = parts;
  if (first === undefined) {
    const length = Math.min(Number(suffix), bytes);
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes };
  }
  const start = Number(first);
  const lastByte = last ? Number(last) : Infinity;
  if (lastByte < start) return undefined; // invalid, not unsatisfiable (section 14.1.1)
  return start >= bytes ? 'unsatisfiable' : { start, end: Math.min(lastByte + 1, bytes) };
}

const CODING = /^[ \t]*([!#$%&'*+\-.^_`|~\w]+)[ \t]*(?:;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/i;

/**
 * Whether gzip is acceptable and not liked less than the bytes as they are (section 12.5.3). A list that does not
 * parse accepts nothing but those.
 */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  let gzip: number | undefined;
  let identity: number | undefined;
  let others: number | undefined;
  for (const element of header.split(',')) {
    if (element.trim() === '') continue;
    const parts = CODING.exec(element);
    if (!parts) return false;
    const coding = parts[1]?.toLowerCase();
    const q = Number(parts[2] ?? 1);
    if (coding === 'gzip' || coding === 'x-gzip') gzip = Math.max(gzip ?? 0, q);
    else if (coding === 'identity') identity = q;
    else if (coding === '*') others = q;
  }
  const wanted = gzip ?? others ?? 0;
  // Not listed, the plain bytes are acceptable without being asked for.
  return wanted > 0 && wanted >= (identity ?? 0);
}
