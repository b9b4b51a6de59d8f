/** The HTTP link: the app on one or more addresses. */
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import { Connections } from './connections.ts';
import { SECURITY_HEADERS } from './headers.ts';

// Not by `import`, which reads every export of the module and so loads all of undici behind one of them: 30 ms.
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** A connection on which nothing moves is closed; an upload lasts as long as it moves. */
const IDLE_MS = 60_000;
/** One on which no further request comes. */
const KEEP_ALIVE_MS = 15_000;
const HEADERS_MS = 10_000;
/** How often Node looks for connections past HEADERS_MS. */
const CHECK_MS = 5_000;
/** What requests under way get to end when the link closes, in ms. */
const CLOSE_GRACE_MS = 1_500;

const NO_HOST = new ApiError('bad_request', 'The request has no Host header.');

export interface HttpAddress {
  host: string;
  /** 0 takes a free one. */
  port: number;
}

export interface HttpLink {
  /** Where it listens, as `http://host:port`, in the order asked for. */
  readonly addresses: readonly string[];
  /** Takes no more requests, lets those under way end, and is gone within 2 s. */
  close(): Promise<void>;
}

/** Takes a connection that asks to become a WebSocket. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Serves the app over HTTP/1.1 on every address.
 * @param upgrade what answers WebSocket upgrades; without it they are plain requests
 * @throws Error of the system (EADDRINUSE, EACCES…) when one address cannot be had; none is kept then
 */
export async function listen(
  app: FastifyInstance,
  addresses: readonly HttpAddress[],
  upgrade?: Upgrade,
): Promise<HttpLink> {
  await app.ready();
  const servers = addresses.map(() => webServer('http', createServer, app.routing, upgrade));
  return listenAll(servers, addresses);
}

/** One server for one address. */
export interface WebServer<S extends Server = Server> {
  readonly server: S;
  /** @returns where it listens, as `scheme://host:port` */
  bind(address: HttpAddress): Promise<string>;
  /** Listens no more from now on; resolves within 2 s, when every connection is gone, upgraded ones too. */
  close(): Promise<void>;
}

/** A plain HTTP server that takes no WebSockets, with the limits of all of them. */
export function plainServer(answer: RequestListener): WebServer {
  return webServer('http', createServer, answer, undefined);
}

/**
 * Makes a server with the limits and timeouts that all of the app's servers have.
 * @param create what makes it of the options that are the same for HTTP and HTTPS, and of what answers requests
 * @param answer answers one request
 */
export function webServer<S extends Server>(
  scheme: 'http' | 'https',
  create: (options: ServerOptions, answer: RequestListener) => S,
  answer: RequestListener,
  upgrade: Upgrade | undefined,
): WebServer<S> {
  const options: ServerOptions = {
    headersTimeout: HEADERS_MS,
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_MS,
    noDelay: true,
    // Node would refuse those without one in its own words.
    requireHostHeader: false,
    // Other upgrades (curl asks for h2c) are plain requests; Node would hang up on them.
    shouldUpgradeCallback: ({ headers }) =>
      upgrade !== undefined && headers.upgrade?.toLowerCase() === 'websocket',
  };
  // One listener, not two: a second one has every request go through a copied list of them.
  const take: RequestListener = (request, response) => {
    connections.used(request.socket, response);
    response.on('timeout', keepWhileAnswered);
    if (request.headers.host === undefined && request.httpVersion !== '1.0')
      answerRaw(request.socket, NO_HOST);
    else answer(request, response);
  };
  const server = create(options, take);
  // The server itself forgets those that are upgraded, or are still shaking hands.
  const connections = new Connections(server);
  if (upgrade) {
    server.on('upgrade', (request, socket, head) => {
      connections.upgraded(request.socket);
      upgrade(request, socket, head);
    });
  }
  // Without these Node answers with a bare 417, and hangs up without a word (RFC 9110 sections 10.1.1 and 9.3.6).
  server.on('checkExpectation', take);
  server.on('connect', (_request, socket) =>
    answerRaw(socket, new ApiError('not_found', 'This is no proxy.')),
  );
  server.setTimeout(IDLE_MS);
  server.on('clientError', answerClientError);
  return {
    server,
    bind: (address) => bind(server, scheme, address),
    close: () => closeServer(server, connections),
  };
}

/**
 * Nothing moves on a connection either while its request, read to the end, is being worked on: verifying a large bundle
 * takes minutes on a slow card. The client waits for us then, and is not hung up on.
 */
function keepWhileAnswered(this: ServerResponse, socket: Socket): void {
  if (this.req.complete && !this.headersSent) socket.setTimeout(socket.timeout ?? IDLE_MS);
  else socket.destroy();
}

/** @throws Error of the system when one address cannot be had; all servers are closed then */
export async function listenAll(
  servers: readonly WebServer[],
  addresses: readonly HttpAddress[],
): Promise<HttpLink> {
  const close = async () => void (await Promise.all(servers.map((server) => server.close())));
  const bound: string[] = [];
  try {
    for (const [index, address] of addresses.entries()) {
      const server = servers[index];
      if (server) bound.push(await server.bind(address));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { addresses: bound, close };
}

/** Only HTTP that fails is answered in HTTP: a handshake that fails has been told so by TLS. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!/^(?:HPE|ERR_HTTP)_/.test(error.code ?? '') || !socket.writable) socket.destroy();
  else
    answerRaw(socket, new ApiError('bad_request', 'The request is not HTTP/1.1, or its head is too large.'));
}

function bind(server: Server, scheme: string, { host, port }: HttpAddress): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      // From now on an error is of one connection that the system could not give us (out of memory, of descriptors):
      // its client tries again. Without a listener it would end the agent.
      server.on('error', () => undefined);
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      resolve(`${scheme}://${isIPv6(host) ? `[${host}]` : host}:${bound}`);
    });
  });
}

async function closeServer(server: Server, connections: Connections): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => connections.destroy(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(timer);
}

/** Answers on a bare socket, where no request came about, in the standard envelope; then hangs up. */
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
