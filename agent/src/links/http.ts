/** The HTTP link: the app on one or more addresses. */
import type { IncomingMessage, Server } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import { SECURITY_HEADERS } from './headers.ts';

// Not by `import`, which reads every export of the module and so loads all of undici behind one of them: 30 ms.
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** A connection on which nothing moves is closed; an upload lasts as long as it moves. */
const IDLE_MS = 60_000;
const KEEP_ALIVE_MS = 30_000;
const HEADERS_MS = 10_000;
/** How often Node looks for connections past HEADERS_MS. */
const CHECK_MS = 5_000;
/** One host drives the device; browsers open six connections each. */
const MAX_CONNECTIONS = 128;
/** What requests under way get to end when the link closes, in ms. */
const CLOSE_GRACE_MS = 1_500;

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
  const servers: Server[] = [];
  const close = async () => void (await Promise.all(servers.map(closeServer)));
  const bound: string[] = [];
  try {
    for (const address of addresses) {
      const server = serverFor(app, upgrade);
      servers.push(server);
      bound.push(await bind(server, address));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { addresses: bound, close };
}

function serverFor(app: FastifyInstance, upgrade: Upgrade | undefined): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
      noDelay: true,
      // Other upgrades (curl asks for h2c) are plain requests; Node would hang up on them.
      shouldUpgradeCallback: ({ headers }) =>
        upgrade !== undefined && headers.upgrade?.toLowerCase() === 'websocket',
    },
    app.routing,
  );
  if (upgrade) server.on('upgrade', upgrade);
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(IDLE_MS);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else
      answerRaw(
        socket,
        new ApiError('bad_request', 'The request is not HTTP/1.1, or its head is too large.'),
      );
  });
  return server;
}

function bind(server: Server, { host, port }: HttpAddress): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      resolve(`http://${isIPv6(host) ? `[${host}]` : host}:${bound}`);
    });
  });
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
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
