/**
 * Conditional requests, byte ranges and content coding by RFC 9110. Entries have no modification date: times in a zip
 * archive have no zone, and a replaced bundle may bring older ones. So conditions on dates are ignored, as the RFC
 * demands for resources without a date (sections 13.1.3 to 13.1.5), and only entity tags count.
 */

import type { ByteRange } from '../zip/source.ts';

/** The relevant request headers as Node parses them: lower-case names, repeated lists joined by commas. */
export interface RequestConditions {
  'if-match'?: string | undefined;
  'if-none-match'?: string | undefined;
  'if-range'?: string | undefined;
  range?: string | undefined;
  'accept-encoding'?: string | undefined;
}

/** The next entity tag from lastIndex on, with the comma after it (section 8.8.3); list elements may be empty. */
const LISTED_TAG = /[ \t,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,[ \t,]*|$)/y;

/**
 * Whether a list of entity tags, or `*`, contains a tag.
 * @param weakly ignores whether tags are weak (section 8.8.3.2)
 */
function includesTag(list: string, etag: string, weakly: boolean): boolean {
  if (list.trim() === '*') return true;
  LISTED_TAG.lastIndex = 0;
  while (LISTED_TAG.lastIndex < list.length) {
    const found = LISTED_TAG.exec(list);
    if (!found) return false; // invalid from here on
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
  if (match !== undefined && !includesTag(match, etag, false)) return 'precondition_failed';
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined && includesTag(noneMatch, etag, true)) return 'not_modified';
  return 'holds';
}

/** A single range. For several ranges and for other units, sending the whole is allowed (section 14.2). */
const SINGLE_RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;

/**
 * The range that a GET asks for (section 14.1.2).
 * @param etag of the plain representation
 * @param bytes size of the plain representation
 * @returns undefined when the whole must be sent: no byte range, or an If-Range for another version
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
  // Content-Range cannot express an empty range, so an empty file is sent as a whole.
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
 * Whether gzip is acceptable and at least as preferred as the plain bytes (section 12.5.3). An invalid list accepts only
 * the plain bytes.
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
  // Plain bytes are acceptable even if they are not listed.
  return wanted > 0 && wanted >= (identity ?? 0);
}
