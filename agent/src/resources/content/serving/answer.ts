/** From a request to what it is answered with, for one open bundle: entries, folders, conditions, ranges, coding. */
import type { ByteRange, ZipDirectory, ZipEntry } from '../zip/index.ts';
import { acceptsGzip, precondition, type RequestConditions, requestedRange } from './conditions.ts';
import { GZIP_EXTRA_BYTES } from './entry-body.ts';
import { mediaType } from './media-types.ts';
import { pathOf, readTarget } from './request-path.ts';

/** Header names and values in turn, as `writeHead` takes them. */
export type RawHeaders = string[];

/** On everything that this origin answers (docs/architecture.md: Whom we trust). */
export const ORIGIN_HEADERS: RawHeaders = [
  'content-security-policy',
  "frame-ancestors 'self'",
  'x-frame-options',
  'SAMEORIGIN',
  'cross-origin-resource-policy',
  'same-origin',
  'origin-agent-cluster',
  '?1',
  'referrer-policy',
  'same-origin',
  'x-content-type-options',
  'nosniff',
  // A bundle may be replaced at any time: browsers keep what they got and ask, by its tag, whether it is still that.
  'cache-control',
  'no-cache',
];

/** One of the forms in which an entry is sent: its bytes as they are, or gzip. */
export interface Representation {
  readonly entry: ZipEntry;
  readonly isGzip: boolean;
  readonly etag: string;
  /** Of what is sent. */
  readonly bytes: number;
  /** Of a 200. */
  readonly headers: RawHeaders;
}

/** What is served at one path. */
interface Resource {
  readonly plain: Representation;
  /** Only where the archive has the entry deflated. */
  readonly gzip: Representation | undefined;
}

export interface Answer {
  status: number;
  headers: RawHeaders;
  /** What a GET gets; a HEAD gets the headers alone. */
  body: { representation: Representation; range: ByteRange } | undefined;
}

/** The paths of a bundle. */
export class BundleSite {
  readonly #directory: ZipDirectory;
  readonly #sha256: string;
  /** No more than there are entries. */
  readonly #resources = new Map<string, Resource>();

  /** @param sha256 of the archive, hexadecimal */
  constructor(directory: ZipDirectory, sha256: string) {
    this.#directory = directory;
    this.#sha256 = sha256;
  }

  /**
   * @param target path and query as sent
   * @returns a status alone for what cannot be answered from the bundle: 400 or 404
   */
  answer(method: 'GET' | 'HEAD', target: string, headers: RequestConditions): Answer | 400 | 404 {
    const asked = readTarget(target);
    if (!asked) return 400;
    const { name, query } = asked;
    const resource = this.#find(name === '' || name.endsWith('/') ? `${name}index.html` : name);
    if (resource) return answerWith(resource, method, headers);
    if (name !== '' && !name.endsWith('/') && this.#directory.has(`${name}/index.html`)) {
      return {
        status: 308,
        headers: [...ORIGIN_HEADERS, 'location', `${pathOf(name)}/${query}`, 'content-length', '0'],
        body: undefined,
      };
    }
    return 404;
  }

  /** The representations in which bodies may be kept by others. */
  *representations(): Generator<Representation> {
    for (const { plain, gzip } of this.#resources.values()) {
      yield plain;
      if (gzip) yield gzip;
    }
  }

  #find(name: string): Resource | undefined {
    const known = this.#resources.get(name);
    if (known) return known;
    const entry = this.#directory.get(name);
    if (!entry || entry.isFolder) return undefined;
    const resource = describe(entry, this.#sha256);
    this.#resources.set(name, resource);
    return resource;
  }
}

function describe(entry: ZipEntry, sha256: string): Resource {
  // The archive's hash says it all; the rest is for people who compare. 128 bits are enough for a name.
  const tag = `${sha256.slice(0, 32)}-${entry.crc32.toString(16)}-${entry.bytes.toString(16)}`;
  const isDeflated = entry.method === 'deflate';
  const represent = (isGzip: boolean): Representation => {
    const etag = `"${tag}${isGzip ? '-gz' : ''}"`;
    const bytes = isGzip ? entry.compressedBytes + GZIP_EXTRA_BYTES : entry.bytes;
    const headers = [
      ...ORIGIN_HEADERS,
      'content-type',
      mediaType(entry.name),
      'etag',
      etag,
      'accept-ranges',
      'bytes',
      ...(isDeflated ? ['vary', 'accept-encoding'] : []),
      ...(isGzip ? ['content-encoding', 'gzip'] : []),
      'content-length',
      String(bytes),
    ];
    return { entry, isGzip, etag, bytes, headers };
  };
  return { plain: represent(false), gzip: isDeflated ? represent(true) : undefined };
}

function answerWith({ plain, gzip }: Resource, method: 'GET' | 'HEAD', headers: RequestConditions): Answer {
  // Range is defined for GET alone (section 14.2), and counts the bytes of the plain form here: a player that asks
  // for a part wants that part, whatever codings it lists.
  const range = method === 'GET' ? requestedRange(headers, plain.etag, plain.bytes) : undefined;
  const selected = gzip && range === undefined && acceptsGzip(headers['accept-encoding']) ? gzip : plain;
  const condition = precondition(headers, selected.etag);
  if (condition !== 'holds') {
    // Without what describes the content, which is not sent; the validator and what else a cache needs stay.
    const more = gzip ? ['vary', 'accept-encoding'] : [];
    return condition === 'not_modified'
      ? { status: 304, headers: [...ORIGIN_HEADERS, 'etag', selected.etag, ...more], body: undefined }
      : { status: 412, headers: [...ORIGIN_HEADERS, ...more, 'content-length', '0'], body: undefined };
  }
  if (range === 'unsatisfiable') {
    const about = ['content-range', `bytes */${plain.bytes}`, 'content-length', '0'];
    return { status: 416, headers: [...ORIGIN_HEADERS, ...about], body: undefined };
  }
  if (range) {
    const { start, end } = range;
    const about = [
      'content-range',
      `bytes ${start}-${end - 1}/${plain.bytes}`,
      'content-length',
      String(end - start),
    ];
    return {
      status: 206,
      // The length is the last pair of the whole's headers.
      headers: [...plain.headers.slice(0, -2), ...about],
      body: { representation: plain, range },
    };
  }
  return {
    status: 200,
    headers: selected.headers,
    body: { representation: selected, range: { start: 0, end: selected.bytes } },
  };
}
