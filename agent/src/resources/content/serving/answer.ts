/** Maps a request to its answer within one open bundle: entries, folders, conditions, ranges, content coding. */
import type { ByteRange } from '../zip/source.ts';
import type { ZipEntry } from '../zip/zip-entry.ts';
import { acceptsGzip, precondition, type RequestConditions, requestedRange } from './conditions.ts';
import { GZIP_EXTRA_BYTES } from './entry-body.ts';
import type { OpenBundle } from './open-bundles.ts';
import { pathOf, readTarget } from './request-path.ts';

/** Header names and values alternating, as `writeHead` takes them. */
export type RawHeaders = string[];

/** Sent with every answer of this origin (docs/security.md: Trust model). */
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
  // A bundle may be replaced at any time, so browsers must revalidate what they have cached.
  'cache-control',
  'no-cache',
];

/** One of the forms in which an entry is sent: its plain bytes, or gzip. */
export interface Representation {
  readonly entry: ZipEntry;
  readonly isGzip: boolean;
  readonly etag: string;
  /** Size of the body. */
  readonly bytes: number;
  /** Headers of a 200. */
  readonly headers: RawHeaders;
}

/** What is served at one path. */
interface Resource {
  readonly plain: Representation;
  /** Only for entries that are deflated in the archive. */
  readonly gzip: Representation | undefined;
}

export interface Answer {
  status: number;
  headers: RawHeaders;
  /** For GET only; HEAD sends the headers alone. */
  body: { representation: Representation; range: ByteRange } | undefined;
}

/** Answers the requests for one bundle. */
export class BundleSite {
  readonly #bundle: OpenBundle;
  /** By entry; bounded by the number of entries. */
  readonly #resources = new Map<ZipEntry, Resource>();
  #composed: Map<string, ZipEntry> | undefined;

  constructor(bundle: OpenBundle) {
    this.#bundle = bundle;
  }

  /**
   * @param target path and query as sent
   * @returns 400 for an invalid path, 404 when the bundle has no such file
   */
  answer(method: 'GET' | 'HEAD', target: string, headers: RequestConditions): Answer | 400 | 404 {
    const asked = readTarget(target);
    if (!asked) return 400;
    const { name, query } = asked;
    const resource = this.#find(name === '' || name.endsWith('/') ? `${name}index.html` : name);
    if (resource) return answerWith(resource, method, headers);
    if (name !== '' && !name.endsWith('/') && this.#entry(`${name}/index.html`)) {
      return {
        status: 308,
        headers: [...ORIGIN_HEADERS, 'location', `${pathOf(name)}/${query}`, 'content-length', '0'],
        body: undefined,
      };
    }
    return 404;
  }

  /** All representations created so far, by which a cache may hold bodies. */
  *representations(): Generator<Representation> {
    for (const { plain, gzip } of this.#resources.values()) {
      yield plain;
      if (gzip) yield gzip;
    }
  }

  #find(name: string): Resource | undefined {
    const entry = this.#entry(name);
    if (!entry || entry.isFolder) return undefined;
    const known = this.#resources.get(entry);
    if (known) return known;
    const resource = describe(entry, this.#bundle);
    this.#resources.set(entry, resource);
    return resource;
  }

  /**
   * The entry of a name, whichever Unicode composition the archive and the page use: macOS decomposes the names of
   * files (`u` and a diaeresis), while pages are usually written with composed letters (`ü`). An archive has no two
   * names that differ only in that.
   */
  #entry(name: string): ZipEntry | undefined {
    const { directory } = this.#bundle;
    const exact = directory.get(name);
    // ASCII has one composition only.
    if (exact || /^[\x20-\x7e]*$/.test(name)) return exact;
    this.#composed ??= new Map([...directory].map(([each, entry]) => [each.normalize('NFC'), entry]));
    return this.#composed.get(name.normalize('NFC'));
  }
}

function describe(entry: ZipEntry, { file, mediaType }: OpenBundle): Resource {
  // The hash alone would do; CRC-32 and size help people who compare tags. 128 bits of the hash are enough.
  const tag = `${file.sha256.slice(0, 32)}-${entry.crc32.toString(16)}-${entry.bytes.toString(16)}`;
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
  // Range is defined for GET only (section 14.2). Here it applies to the plain bytes, whatever codings the client
  // accepts: a media player that asks for a part wants that part of the file.
  const range = method === 'GET' ? requestedRange(headers, plain.etag, plain.bytes) : undefined;
  const selected = gzip && range === undefined && acceptsGzip(headers['accept-encoding']) ? gzip : plain;
  const condition = precondition(headers, selected.etag);
  if (condition !== 'holds') {
    // No content is sent, so only the validator and what a cache needs.
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
      // The last pair of `plain.headers` is the length of the whole.
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
