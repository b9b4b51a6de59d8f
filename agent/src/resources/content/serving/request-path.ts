/** Parses request paths strictly: exactly one spelling of a path leads to an entry. */

/** The parsed target of a request. */
export interface RequestTarget {
  /** Name of a zip entry, or of a folder with a trailing `/`; `''` is the root. */
  name: string;
  /** `?…` as sent, or `''`. */
  query: string;
}

/** Paths without percent-encoding and without empty, `.` or `..` segments: nearly every request. */
const PLAIN = /^(?:\/(?!\.{1,2}(?:\/|$))[\w\-.~!$&'()*+,;=:@]+)*\/?$/;

/**
 * @param target path and query as sent (RFC 9112: origin-form)
 * @returns undefined for an invalid path: wrong encoding, not UTF-8, NUL, backslash, encoded slash, or empty, `.` or
 *   `..` segments. No zip entry has such a name, and browsers resolve dots before they send a request.
 */
export function readTarget(target: string): RequestTarget | undefined {
  const end = target.indexOf('?');
  const path = end < 0 ? target : target.slice(0, end);
  const query = end < 0 ? '' : target.slice(end);
  if (!path.startsWith('/')) return undefined;
  if (PLAIN.test(path)) return { name: path.slice(1), query };
  const segments = path.slice(1).split('/');
  const names: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const name = decodeSegment(segment);
    const isLast = index === segments.length - 1;
    if (name === undefined || name === '.' || name === '..' || (name === '' && !isLast)) return undefined;
    names.push(name);
  }
  return { name: names.join('/'), query };
}

function decodeSegment(segment: string): string | undefined {
  // Bytes beyond ASCII must be percent-encoded, since the encoding of raw ones is unknown.
  if (!/^[\x21-\x7e]*$/.test(segment) || /[\\#]/.test(segment)) return undefined;
  try {
    const name = decodeURIComponent(segment);
    return /[/\\\0]/.test(name) ? undefined : name;
  } catch {
    return undefined; // a stray %, or bytes that are not UTF-8
  }
}

/** The URL path of an entry or folder. */
export function pathOf(name: string): string {
  return `/${name.split('/').map(encodeURIComponent).join('/')}`;
}
