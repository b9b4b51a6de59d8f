/**
 * The displayed content bundle as a web origin, `http://<name>.localhost:PORT/`, on the loopback. Who may ask is
 * decided here, what is answered in `resources/content/serving/` (docs/architecture.md: Whom we trust).
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Logger } from '../../../base/logger.ts';
import { errorCode } from '../../../base/system-error.ts';
import { type Chunks, entryContent, ZipError } from '../zip/index.ts';
import { type Answer, BundleSite, ORIGIN_HEADERS, type Representation } from './answer.ts';
import { ByteCache } from './byte-cache.ts';
import { ClientGone, collect, gzipBody, writeChunk } from './entry-body.ts';
import { type Locate, type OpenBundle, OpenBundles, TooManyOpen } from './open-bundles.ts';

// Not by `import`, which would load undici with it.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

const LOOPBACK_4 = '127.0.0.1';
const LOOPBACK_6 = '::1';
/** What a system without IPv6 says. */
const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);
/** A port that is free on 127.0.0.1 may be taken on ::1. */
const FREE_PORT_TRIES = 10;
/**
 * Of each address family. One browser shows one bundle: six connections, its media and service workers. Each may hold
 * two read buffers.
 */
const MAX_CONNECTIONS = 32;
/** Requests carry no body, so all of one is there soon. */
const REQUEST_MS = 10_000;
/** Up to here an entry is kept in memory once it was asked for, in all of them together up to the second bound. */
const SMALL_BYTES = 64 * 1024;
const CACHE_BYTES = 8 * 1024 * 1024;

/** An HTTP server with the limits and timeouts that all of the agent's servers have. */
export interface WebServer {
  readonly server: Server;
  /** Port 0 takes a free one. @returns where it listens, as `scheme://host:port` */
  bind(address: { host: string; port: number }): Promise<string>;
  /** Resolves within 2 s, when every connection is closed. */
  close(): Promise<void>;
}

export interface BundleOriginOptions {
  createServer: (answer: RequestListener) => WebServer;
  /** 0 takes a free one. */
  port: number;
  /** Name of the bundle that is displayed, the only one that is served. */
  active: () => string | undefined;
  /** Where a bundle's archive lies now. */
  locate: Locate;
  log: Logger;
}

export class BundleOrigin {
  readonly #options: BundleOriginOptions;
  readonly #bundles: OpenBundles;
  readonly #sites = new WeakMap<OpenBundle, BundleSite>();
  readonly #small = new ByteCache<Representation>(CACHE_BYTES);
  #servers: WebServer[] = [];
  #port: number;
  /** The Host of the bundle that was asked for last. */
  #host = { name: '', value: '' };

  constructor(options: BundleOriginOptions) {
    this.#options = options;
    this.#port = options.port;
    const locate: Locate = (name) => (name === options.active() ? options.locate(name) : undefined);
    this.#bundles = new OpenBundles(locate, (bundle) => this.#forget(bundle));
  }

  /** Listens on 127.0.0.1 and, where there is one, on ::1, on the same port. @throws Error of the system */
  async start(): Promise<void> {
    const tries = this.#options.port === 0 ? FREE_PORT_TRIES : 1;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#listen(this.#options.port);
      } catch (error) {
        await this.#closeServers();
        if (errorCode(error) !== 'EADDRINUSE' || attempt >= tries) throw error;
      }
    }
  }

  /** Lets requests under way end and is gone within 2 s. */
  async stop(): Promise<void> {
    await this.#closeServers();
    await this.#bundles.close();
  }

  /** Closes archives that are no longer served and that nobody reads: one that was deleted holds its room till then. */
  closeUnused(): Promise<void> {
    return this.#bundles.closeUnused();
  }

  /** The bundle's origin with `/` behind it; with a free port, after {@link start} only. */
  url(name: string): string {
    return new URL(`http://${name}.localhost:${this.#port}/`).href;
  }

  /** Archives that are open now. */
  get openBundles(): number {
    return this.#bundles.size;
  }

  async #listen(port: number): Promise<void> {
    const first = this.#server();
    this.#port = Number(new URL(await first.bind({ host: LOOPBACK_4, port })).port || 80);
    this.#host = { name: '', value: '' };
    const second = this.#server();
    try {
      await second.bind({ host: LOOPBACK_6, port: this.#port });
    } catch (error) {
      if (!NO_IPV6.has(errorCode(error) ?? '')) throw error;
    }
  }

  #server(): WebServer {
    const link = this.#options.createServer(this.#handle);
    link.server.requestTimeout = REQUEST_MS;
    link.server.maxConnections = MAX_CONNECTIONS;
    this.#servers.push(link);
    return link;
  }

  async #closeServers(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((link) => link.close()));
  }

  #forget(bundle: OpenBundle): void {
    const site = this.#sites.get(bundle);
    if (site) for (const representation of site.representations()) this.#small.delete(representation);
  }

  readonly #handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.#serve(request, response).catch((error: unknown) => this.#fail(request, response, error));
  };

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = this.#options.active();
    const target = originForm(request);
    if (name === undefined || !target || target.host.toLowerCase() !== this.#hostOf(name)) {
      return refuse(request, response, 421, 'No bundle of that name is displayed.');
    }
    if (!isFromOwnOrigin(request, target.host))
      return refuse(request, response, 403, 'Other origins have no business here.');
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      return refuse(request, response, 405, 'Bundles can be read, with GET and HEAD.', [
        'allow',
        'GET, HEAD',
      ]);
    }
    const bundle = await this.#bundles.take(name);
    if (!bundle) return refuse(request, response, 404, 'The bundle is not there.');
    try {
      const answer = this.#siteOf(bundle).answer(method, target.path, request.headers);
      if (answer === 400)
        return refuse(request, response, 400, 'The path is not one that a bundle can have.');
      if (answer === 404) return refuse(request, response, 404, 'The bundle has no such file.');
      await this.#send(response, bundle, answer, method);
    } finally {
      this.#bundles.release(bundle);
    }
  }

  #hostOf(name: string): string {
    if (this.#host.name !== name) this.#host = { name, value: new URL(this.url(name)).host };
    return this.#host.value;
  }

  #siteOf(bundle: OpenBundle): BundleSite {
    let site = this.#sites.get(bundle);
    if (!site) {
      site = new BundleSite(bundle.directory, bundle.file.sha256);
      this.#sites.set(bundle, site);
    }
    return site;
  }

  async #send(
    response: ServerResponse,
    bundle: OpenBundle,
    { status, headers, body }: Answer,
    method: 'GET' | 'HEAD',
  ): Promise<void> {
    if (!body || method === 'HEAD') {
      response.writeHead(status, headers).end();
      return;
    }
    const { representation, range } = body;
    const { entry } = representation;
    if (entry.bytes <= SMALL_BYTES && entry.compressedBytes <= SMALL_BYTES) {
      const bytes = this.#small.get(representation) ?? (await this.#load(bundle, representation));
      if (response.destroyed) return;
      const isWhole = range.start === 0 && range.end === bytes.length;
      response.writeHead(status, headers).end(isWhole ? bytes : bytes.subarray(range.start, range.end));
      return;
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort(new ClientGone('the connection was closed')));
    const chunks = representation.isGzip
      ? gzipBody(bundle.source, entry)
      : entryContent(bundle.source, entry, range, gone.signal);
    await stream(response, status, headers, chunks);
  }

  async #load({ source }: OpenBundle, representation: Representation): Promise<Buffer> {
    const { entry, isGzip, bytes } = representation;
    const body = isGzip ? gzipBody(source, entry) : entryContent(source, entry);
    const loaded = await collect(body, bytes);
    this.#small.set(representation, loaded);
    return loaded;
  }

  /** An answer that cannot be given whole is none: the connection ends, and the other side sees that it did. */
  #fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (error instanceof ClientGone || response.destroyed) return;
    const path = request.url?.slice(0, 200);
    if (error instanceof TooManyOpen) this.#options.log.warn({ path }, error.message);
    else this.#options.log.error({ err: error, path }, 'a bundle could not be served');
    if (response.headersSent) response.destroy();
    else if (error instanceof TooManyOpen) {
      refuse(request, response, 503, 'Too much is being read.', ['retry-after', '1']);
    } else
      refuse(
        request,
        response,
        500,
        error instanceof ZipError ? error.message : 'The bundle cannot be read.',
      );
  }
}

/**
 * Host and path of a request, wherever it says them (RFC 9112, sections 3.2 and 3.2.2).
 * @returns undefined without exactly one Host, and for targets that are no path
 */
function originForm({
  url = '',
  headers,
  rawHeaders,
}: IncomingMessage): { host: string; path: string } | undefined {
  const { host } = headers;
  if (host === undefined) return undefined;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i];
    if (header?.length === 4 && header.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts !== 1) return undefined;
  if (url.startsWith('/')) return { host, path: url };
  const parts = /^http:\/\/([^/?#]*)([/?].*)?$/i.exec(url);
  if (parts?.[1] === undefined) return undefined;
  const path = parts[2] ?? '/';
  return { host: parts[1], path: path.startsWith('?') ? `/${path}` : path };
}

/**
 * Whether a request was made by the bundle's own pages, or by the agent that opens them. A service worker's script
 * comes without Sec-Fetch-Site; what another site's page asks for does carry it, or an Origin.
 */
function isFromOwnOrigin({ headers }: IncomingMessage, host: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`;
}

/** A small page that says what is the matter. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  more: readonly string[] = [],
): void {
  const body = Buffer.from(`${status} ${STATUS_CODES[status]}\n${text}\n`);
  const about = ['content-type', 'text/plain; charset=utf-8', 'content-length', String(body.length)];
  response.writeHead(status, [...ORIGIN_HEADERS, ...more, ...about]);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** @throws what reading throws; before the first byte is sent if it can be known by then */
async function stream(
  response: ServerResponse,
  status: number,
  headers: string[],
  chunks: Chunks,
): Promise<void> {
  try {
    let next = await chunks.next();
    response.writeHead(status, headers);
    while (!next.done) {
      await writeChunk(response, next.value);
      next = await chunks.next();
    }
    response.end();
  } finally {
    await chunks.return();
  }
}
