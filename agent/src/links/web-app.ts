/**
 * The web app (`ui/`) as the build made it: which paths answer with its page, and its files. Browsers get the files
 * compressed as they were at build time.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BASE_PATH } from '../contract/api.ts';

/** One file of the app. */
export interface WebAsset {
  /** Name in the folder of the app; compressed copies have `.gz` and `.br` behind it. */
  file: string;
  /** Content type. */
  type: string;
  /** Of the bytes, as part of the ETag. */
  hash: string;
  /** The path has a hash of the content, so that an answer never becomes stale. */
  immutable: boolean;
  compressed: boolean;
}

/** `ui/app/assets.json`, written by ci/build-ui.ts. */
export interface WebAssets {
  /** Paths of the views, which answer with the app's page. */
  paths: readonly string[];
  /** Path of the app's page among the files. */
  index: string;
  /** By path. */
  files: Record<string, WebAsset>;
}

/** Where the files are, among those that ship with the agent. */
const FOLDER = 'ui/app';

/**
 * Everything from this device, nothing inline, and no HTML from texts. `'self'` in connect-src covers the event socket
 * (CSP level 3, section 6.7.2.8: a host source of http matches ws, one of https wss).
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
  "manifest-src 'self'; font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

/** A year, which is the longest in use (RFC 9111 leaves it open). */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Asks each time, and gets 304 if nothing has changed. */
const ASK_AGAIN = 'no-cache';

export interface WebAppOptions {
  /** `ui.enabled` of the configuration, read for every request. */
  isEnabled: () => boolean;
  /** Reads a file that ships with the agent. @throws Error when there is none */
  read: (name: string) => Promise<Buffer>;
}

export class WebApp {
  readonly assets: WebAssets;
  readonly #options: WebAppOptions;

  /**
   * Reads what the build made.
   * @returns undefined if the app was not built, which happens only from source
   */
  static async open(options: WebAppOptions): Promise<WebApp | undefined> {
    const text = await options.read(`${FOLDER}/assets.json`).catch(() => undefined);
    return text && new WebApp(JSON.parse(text.toString()), options);
  }

  constructor(assets: WebAssets, options: WebAppOptions) {
    this.assets = assets;
    this.#options = options;
  }

  /** Whether `path` has an answer now: a view or a file. */
  has(path: string): boolean {
    return this.#options.isEnabled() && this.#find(path) !== undefined;
  }

  /** Whether the app's page tells the user that there is nothing at a path, instead of JSON. */
  explainsMissing({ method, url, headers }: FastifyRequest): boolean {
    if (method !== 'GET' && method !== 'HEAD') return false;
    const path = url.split('?', 1)[0] ?? '';
    if (path === BASE_PATH || path.startsWith('/api/') || path.startsWith('/ui/')) return false;
    return this.#options.isEnabled() && (headers.accept ?? '').includes('text/html');
  }

  /**
   * Answers with the app's page or one of its files.
   * @param path one that `has`, or undefined for the page of an unknown path
   * @throws Error when a file of the installation is missing
   */
  async send(path: string | undefined, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const asset = this.#find(path ?? this.assets.index);
    if (!asset) throw new Error(`the web app has no file for ${path}`);
    const encoding = asset.compressed ? encodingFor(request.headers['accept-encoding']) : undefined;
    const tag = `"${asset.hash}${encoding ? `-${encoding.name}` : ''}"`;
    reply.headers({
      'cache-control': asset.immutable ? IMMUTABLE : ASK_AGAIN,
      ...(asset.compressed && { vary: 'accept-encoding' }),
      ...(asset.type.startsWith('text/html') && { 'content-security-policy': POLICY }),
    });
    if (path === undefined) reply.code(404);
    else {
      reply.header('etag', tag);
      if (matches(request.headers['if-none-match'], tag)) return reply.code(304).send();
    }
    if (encoding) reply.header('content-encoding', encoding.name);
    const bytes = await this.#options.read(`${FOLDER}/${asset.file}${encoding?.suffix ?? ''}`);
    return reply.type(asset.type).send(bytes);
  }

  #find(path: string): WebAsset | undefined {
    const { paths, index, files } = this.assets;
    const file = paths.includes(path) ? index : path;
    return Object.hasOwn(files, file) ? files[file] : undefined;
  }
}

const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

/** The best encoding of `accept-encoding` (RFC 9110 section 12.5.3); undefined for none. */
function encodingFor(accepted: string | string[] | undefined): (typeof ENCODINGS)[number] | undefined {
  const offers = String(accepted ?? '')
    .toLowerCase()
    .split(',')
    .map((offer) => offer.split(';').map((part) => part.trim()));
  const isAccepted = (name: string): boolean =>
    offers.some(
      ([coding, ...parameters]) => coding === name && !parameters.some((q) => /^q=0(?:\.0*)?$/.test(q)),
    );
  return ENCODINGS.find(({ name }) => isAccepted(name));
}

/** Whether `if-none-match` names a tag (RFC 9110 section 13.1.2). */
function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}
