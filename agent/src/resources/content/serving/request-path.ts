/** What a request asks for, read strictly: one spelling of a path names one entry, anything else names none. */

/** A request's target in its parts. */
export interface RequestTarget {
  /** Name of a zip entry, or of a folder with `/` at its end; `''` is the root. */
  name: string;
  /** `?…` as it was sent, or `''`. */
  query: string;
}

/** What needs no decoding, and what has no empty, `.` or `..` segment: nearly every request. */
const PLAIN = /^(?:\/(?!\.{1,2}(?:\/|$))[\w\-.~!$&'()*+,;=:@]+)*\/?$/;

/**
 * @param target path and query as sent (RFC 9112: origin-form)
 * @returns undefined for a path that is not one: encoded wrongly, not UTF-8, with NUL, backslash, encoded slash,
 *   empty, `.` or `..` segments. A zip entry has no such name, and browsers resolve dots before they ask.
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
  // Bytes past ASCII must come encoded: what encoding a bare one has is anybody's guess.
  if (!/^[\x21-\x7e]*$/.test(segment) || /[\\#]/.test(segment)) return undefined;
  try {
    const name = decodeURIComponent(segment);
    return /[/\\\0]/.test(name) ? undefined : name;
  } catch {
    return undefined; // a lone %, or bytes that are not UTF-8
  }
}

/** The path of an entry or folder as it stands in a URL. */
export function pathOf(name: string): string {
  return `/${name.split('/').map(encodeURIComponent).join('/')}`;
}
