/** Maps a request to its answer within one open bundle: entries, folders, conditions, ranges, content coding. */
import type { ByteRange } from '../zip/source.ts';
import type { ZipEntry } from '../zip/zip-entry.ts';
import { acceptsGzip, precondition, type RequestConditions, requestedRange } from './conditions.ts';
import { GZIP_EXTRA_BYTES } from './entry-body.ts';
import { mediaType } from './media-types.ts';
import type { OpenBundle } from './open-bundles.ts';
import { pathOf, readTarget } from './request-path.ts';

/** Header names and values alternating, as `writeHead` takes them. */
export type RawHeaders = string[];

/** Sent with every answer of this origin (docs/architecture.md: Trust model). */
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

export interface Answer {
  status: number;
  headers: RawHeaders;
  /** For GET only; HEAD sends the headers alone. The range is in the plain bytes. */
  body?: { entry: ZipEntry; isGzip: boolean; range: ByteRange };
}

/**
 * The answer to a request for a bundle.
 * @param target path and query as sent
 * @returns 400 for an invalid path, 404 when the bundle has no such file
 */
export async function answer(
  { directory, file }: Pick<OpenBundle, 'directory' | 'file'>,
  method: 'GET' | 'HEAD',
  target: string,
  headers: RequestConditions,
): Promise<Answer | 400 | 404> {
  const asked = readTarget(target);
  if (!asked) return 400;
  const { name, query } = asked;
  const isFolder = name === '' || name.endsWith('/');
  const entry = directory.get(isFolder ? `${name}index.html` : name);
  if (entry && !entry.isFolder) return await answerWith(entry, file.sha256, method, headers);
  if (isFolder || !directory.has(`${name}/index.html`)) return 404;
  return withoutBody(308, 'location', `${pathOf(name)}/${query}`, 'content-length', '0');
}

async function answerWith(
  entry: ZipEntry,
  sha256: string,
  method: 'GET' | 'HEAD',
  headers: RequestConditions,
): Promise<Answer> {
  // The hash alone would do; CRC-32 and size help people who compare tags. 128 bits of the hash are enough.
  const tag = `${sha256.slice(0, 32)}-${entry.crc32.toString(16)}-${entry.bytes.toString(16)}`;
  const isDeflated = entry.method === 'deflate';
  const vary = isDeflated ? ['vary', 'accept-encoding'] : [];
  // Range is defined for GET only (section 14.2). Here it applies to the plain bytes, whatever codings the client
  // accepts: a media player that asks for a part wants that part of the file.
  const range = method === 'GET' ? requestedRange(headers, `"${tag}"`, entry.bytes) : undefined;
  const isGzip = isDeflated && range === undefined && acceptsGzip(headers['accept-encoding']);
  const etag = isGzip ? `"${tag}-gz"` : `"${tag}"`;
  const condition = precondition(headers, etag);
  // Without content only the validator and what a cache needs are sent.
  if (condition === 'not_modified') return withoutBody(304, 'etag', etag, ...vary);
  if (condition === 'precondition_failed') return withoutBody(412, ...vary, 'content-length', '0');
  if (range === 'unsatisfiable') {
    return withoutBody(416, 'content-range', `bytes */${entry.bytes}`, 'content-length', '0');
  }
  const { start, end } = range ?? { start: 0, end: entry.bytes };
  const length = isGzip ? entry.compressedBytes + GZIP_EXTRA_BYTES : end - start;
  const about = [
    ...['content-type', await mediaType(entry.name), 'etag', etag, 'accept-ranges', 'bytes', ...vary],
    ...(isGzip ? ['content-encoding', 'gzip'] : []),
    ...(range ? ['content-range', `bytes ${start}-${end - 1}/${entry.bytes}`] : []),
    ...['content-length', String(length)],
  ];
  return {
    status: range ? 206 : 200,
    headers: [...ORIGIN_HEADERS, ...about],
    body: { entry, isGzip, range: { start, end } },
  };
}

function withoutBody(status: number, ...headers: string[]): Answer {
  return { status, headers: [...ORIGIN_HEADERS, ...headers] };
}
