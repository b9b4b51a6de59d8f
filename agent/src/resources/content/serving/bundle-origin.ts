/**
 * Serves the displayed bundle as the web origin `http://<name>.localhost:PORT/` on the loopback. This file decides who
 * may ask (docs/security.md: Trust model); `answer.ts` decides what is answered.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Logger } from '../../../base/logger.ts';
import { errorCode } from '../../../base/system-error.ts';
import { type Chunks, entryContent } from '../zip/content.ts';
import { ZipError } from '../zip/zip-entry.ts';
import { type Answer, BundleSite, ORIGIN_HEADERS, type Representation } from './answer.ts';
import { ByteCache } from './byte-cache.ts';
import { ClientGone, collect, gzipBody, writeChunk } from './entry-body.ts';
import { type Locate, type OpenBundle, OpenBundles, TooManyOpen } from './open-bundles.ts';

// Not by `import`, which would also load undici.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

const LOOPBACK_4 = '127.0.0.1';
const LOOPBACK_6 = '::1';
/** Error codes of a system without IPv6. */
const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);
/** Attempts to find a free port: one that is free on 127.0.0.1 may be taken on ::1. */
const FREE_PORT_TRIES = 10;
/**
 * Per address family. One browser shows one bundle: six connections, media and service workers. Each may hold two read
 * buffers.
 */
const MAX_CONNECTIONS = 32;
/** Time for a request to arrive; it has no body. */
const REQUEST_MS = 10_000;
/** Entries up to this size are cached in memory when they are first served, together up to CACHE_BYTES. */
const SMALL_BYTES = 64 * 1024;
const CACHE_BYTES = 8 * 1024 * 1024;
const CLIENT_PATH = /^\/display-client\.js(?:\?|$)/;

/** An HTTP server with the limits and timeouts that all servers of the agent share. */
export interface WebServer {
  readonly server: Server;
  /** Port 0 means any free port. @returns the address, as `scheme://host:port` */
  bind(address: { host: string; port: number }): Promise<string>;
  /** Resolves within 2 s, when every connection is closed. */
  close(): Promise<void>;
}

export interface BundleOriginOptions {
  createServer: (answer: RequestListener) => WebServer;
  /** 0 means any free port. */
  port: number;
  /** Name of the displayed bundle, the only one that is served. */
  active: () => string | undefined;
  /** Finds the current archive of a bundle. */
  locate: Locate;
  /** The client for the page channel, at CLIENT_PATH of every bundle that has no such file. */
  client: () => Promise<Buffer>;
  log: Logger;
}

export class BundleOrigin {
  readonly #options: BundleOriginOptions;
  readonly #bundles: OpenBundles;
  readonly #sites = new WeakMap<OpenBundle, BundleSite>();
  readonly #small = new ByteCache<Representation>(CACHE_BYTES);
  #servers: WebServer[] = [];
  #port: number;
  /** The Host header of the last requested bundle. */
  #host = { name: '', value: '' };

  constructor(options: BundleOriginOptions) {
    this.#options = options;
    this.#port = options.port;
    const locate: Locate = (name) => (name === options.active() ? options.locate(name) : undefined);
    this.#bundles = new OpenBundles(locate, (bundle) => this.#forget(bundle));
  }

  /** Listens on 127.0.0.1 and, if the system has IPv6, on ::1, on the same port. @throws Error of the system */
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

  /** Lets running requests finish for at most 2 s. */
  async stop(): Promise<void> {
    await this.#closeServers();
    await this.#bundles.close();
  }

  /** Closes archives that are no longer served and not being read: a deleted file occupies disk space until then. */
  closeUnused(): Promise<void> {
    return this.#bundles.closeUnused();
  }

  /** URL of the bundle's root. With port 0 only valid after {@link start}. */
  url(name: string): string {
    return new URL(`http://${name}.localhost:${this.#port}/`).href;
  }

  /** Number of open archives. */
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
    // The server has refused requests that name several hosts.
    const { method, url: path = '' } = request;
    const host = request.headers.host?.toLowerCase();
    if (name === undefined || host !== this.#hostOf(name) || !path.startsWith('/')) {
      return refuse(request, response, 421, 'No bundle of that name is displayed.');
    }
    if (!isFromOwnOrigin(request, host))
      return refuse(request, response, 403, 'Other origins must not read bundles.');
    if (method !== 'GET' && method !== 'HEAD') {
      return refuse(request, response, 405, 'Only GET and HEAD are allowed.', ['allow', 'GET, HEAD']);
    }
    const bundle = await this.#bundles.take(name);
    if (!bundle) return refuse(request, response, 404, 'There is no such bundle.');
    try {
      const answer = this.#siteOf(bundle).answer(method, path, request.headers);
      if (answer === 400) return refuse(request, response, 400, 'The path is invalid.');
      if (answer === 404 && CLIENT_PATH.test(path)) return await this.#sendClient(response, method);
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
      site = new BundleSite(bundle);
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

  async #sendClient(response: ServerResponse, method: 'GET' | 'HEAD'): Promise<void> {
    const client = await this.#options.client();
    const about = ['content-type', 'text/javascript; charset=utf-8', 'content-length', String(client.length)];
    response.writeHead(200, [...ORIGIN_HEADERS, ...about]).end(method === 'HEAD' ? undefined : client);
  }

  async #load({ source }: OpenBundle, representation: Representation): Promise<Buffer> {
    const { entry, isGzip, bytes } = representation;
    const body = isGzip ? gzipBody(source, entry) : entryContent(source, entry);
    const loaded = await collect(body, bytes);
    this.#small.set(representation, loaded);
    return loaded;
  }

  /** After the head was sent, a failed answer ends the connection, so that the client notices. */
  #fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (error instanceof ClientGone || response.destroyed) return;
    const path = request.url?.slice(0, 200);
    if (error instanceof TooManyOpen) this.#options.log.warn({ path }, error.message);
    else this.#options.log.error({ err: error, path }, 'a bundle could not be served');
    if (response.headersSent) response.destroy();
    else if (error instanceof TooManyOpen) {
      refuse(request, response, 503, 'Too many bundles are being read.', ['retry-after', '1']);
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
 * Whether a request comes from the bundle's own pages or from the agent that opens them. Requests for a service worker's
 * script lack Sec-Fetch-Site; requests of another site's pages have it or an Origin header.
 */
function isFromOwnOrigin({ headers }: IncomingMessage, host: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return origin === undefined || origin.toLowerCase() === `http://${host}`;
}

/** Answers with an error as plain text. */
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

/** @throws what reading throws; nothing has been sent yet if the first chunk fails */
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
