/** The HTTP link: the app on one or more addresses. */

import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import { SECURITY_HEADERS, toApiError } from './answers.ts';
import { Connections } from './connections.ts';
import { settleTarget } from './request-target.ts';

// Not by `import`, which reads every export of the module: one of them loads all of undici, which takes 30 ms.
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** A connection without traffic is closed after this time; an upload may take longer as long as data arrives. */
const IDLE_MS = 60_000;
/** A connection without a further request is closed after this time. */
const KEEP_ALIVE_MS = 15_000;
const HEADERS_MS = 10_000;
/** How often Node checks for connections that exceed HEADERS_MS. */
const CHECK_MS = 5_000;
/** How long requests in progress may continue when the link closes, in ms. */
const CLOSE_GRACE_MS = 1_500;

export interface HttpAddress {
  host: string;
  /** 0 takes a free one. */
  port: number;
}

/** Handles a request to upgrade to a WebSocket. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** One server for one address, with the limits and timeouts of all servers. */
export class WebServer<S extends Server = Server> {
  readonly server: S;
  readonly #scheme: string;
  // Node's server does not count upgraded connections, nor those in a TLS handshake.
  readonly #connections: Connections;

  /**
   * @param create makes the server itself, from the options that HTTP and HTTPS have in common
   * @param answer answers one request
   * @param upgrade handles WebSocket upgrades; without it they are plain requests
   */
  constructor(
    scheme: 'http' | 'https',
    create: (options: ServerOptions, answer: RequestListener) => S,
    answer: RequestListener,
    upgrade?: Upgrade,
  ) {
    // One listener: with two, Node copies the list of listeners for every request.
    const take: RequestListener = (request, response) => {
      this.#connections.used(request.socket, response);
      if (isSettled(request, request.socket)) answer(request, response);
    };
    const options: ServerOptions = {
      headersTimeout: HEADERS_MS,
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
      noDelay: true,
      // Node would refuse requests without a Host header in its own format.
      requireHostHeader: false,
      // Other upgrades (curl sends h2c) are plain requests; Node would close their connection.
      shouldUpgradeCallback: ({ headers }) =>
        upgrade !== undefined && headers.upgrade?.toLowerCase() === 'websocket',
    };
    const server = create(options, take);
    this.server = server;
    this.#scheme = scheme;
    this.#connections = new Connections(server);
    server.on('upgrade', (request, socket, head) => {
      this.#connections.upgraded(request.socket);
      if (isSettled(request, socket)) upgrade?.(request, socket, head);
    });
    // By default Node answers 417 without a body, and closes on CONNECT (RFC 9110 sections 10.1.1 and 9.3.6).
    server.on('checkExpectation', take);
    server.on('connect', (_request, socket) =>
      answerRaw(socket, new ApiError('not_found', 'This is no proxy.')),
    );
    // There is no traffic while a complete request is being processed either: verifying a large bundle takes minutes on
    // a slow card.
    server.setTimeout(IDLE_MS, (socket: Socket) => {
      if (this.#connections.isWorking(socket)) socket.setTimeout(socket.timeout ?? IDLE_MS);
      else socket.destroy();
    });
    server.on('clientError', answerClientError);
  }

  /**
   * @returns where it listens, as `scheme://host:port`
   * @throws Error of the system (EADDRINUSE, EACCES…) when the address is not available
   */
  async bind({ host, port }: HttpAddress): Promise<string> {
    this.server.listen({ host, port });
    await once(this.server, 'listening');
    // A later error concerns one connection (out of memory or file descriptors), whose client tries again. Without a
    // listener it would end the agent.
    this.server.on('error', () => undefined);
    const address = this.server.address();
    const bound = typeof address === 'object' && address ? address.port : port;
    return `${this.#scheme}://${isIPv6(host) ? `[${host}]` : host}:${bound}`;
  }

  /** Accepts no more requests and lets those in progress end; resolves within 2 s, when every connection is closed. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeIdleConnections();
    const timer = setTimeout(() => this.#connections.destroy(), CLOSE_GRACE_MS);
    await closed;
    clearTimeout(timer);
  }
}

/** An HTTP server without WebSockets. */
export function plainServer(answer: RequestListener): WebServer {
  return new WebServer('http', createServer, answer);
}

/** Servers that listen on one address each. */
export interface HttpLink<S extends Server = Server> {
  readonly servers: readonly S[];
  /** Where they listen, as `http://host:port`, in the order of the given addresses. */
  readonly addresses: readonly string[];
  /** As for one server. */
  close(): Promise<void>;
}

/**
 * Serves the app over HTTP/1.1 on every address.
 * @throws Error of the system when one address is not available; all servers are closed then
 */
export async function listen(
  app: FastifyInstance,
  addresses: readonly HttpAddress[],
  upgrade?: Upgrade,
): Promise<HttpLink> {
  await app.ready();
  return await listenAll(addresses, () => new WebServer('http', createServer, app.routing, upgrade));
}

/** As `listen`, with a server made for every address. */
export async function listenAll<S extends Server>(
  addresses: readonly HttpAddress[],
  makeServer: () => WebServer<S>,
): Promise<HttpLink<S>> {
  const all: WebServer<S>[] = [];
  const close = async () => void (await Promise.all(all.map((one) => one.close())));
  const bound: string[] = [];
  try {
    for (const address of addresses) {
      const one = makeServer();
      all.push(one);
      bound.push(await one.bind(address));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { servers: all.map(({ server }) => server), addresses: bound, close };
}

/** Whether the request names one host; if not, it is answered. */
function isSettled(request: IncomingMessage, socket: Duplex): boolean {
  try {
    settleTarget(request);
    return true;
  } catch (error) {
    answerRaw(socket, toApiError(error));
    return false;
  }
}

/** Only HTTP errors get an HTTP answer: TLS itself reports a failed handshake. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!/^(?:HPE|ERR_HTTP)_/.test(error.code ?? '') || !socket.writable) socket.destroy();
  else
    answerRaw(socket, new ApiError('bad_request', 'The request is not HTTP/1.1, or its head is too large.'));
}

/** Sends the standard envelope on a socket that has no request object, and closes it. */
export function answerRaw(socket: Duplex, error: ApiError): void {
  const body = JSON.stringify(error.envelope);
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  socket.once('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
