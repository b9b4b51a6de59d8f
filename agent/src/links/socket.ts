/** The WebSocket link: events and page messages at `{base_url}/events` (interface: WebSocket; Events). */
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { WebSocket, WebSocketServer as WebSocketServerType } from 'ws';
import type { Logger } from '../base/logger.ts';
import { BASE_PATH } from '../contract/api.ts';
import { ApiError } from '../contract/errors.ts';
import { Nothing } from '../contract/shared.ts';
import { parseText } from '../contract/validate.ts';
import type { EventBus } from '../events/bus.ts';
import { EventSession, errorFrame } from '../events/session.ts';
import { toApiError } from './answers.ts';
import { peerOf } from './connections.ts';
import type { Guard } from './guard.ts';
import { answerRaw } from './http.ts';

const require = createRequire(import.meta.url);

/** Path of the upgrade. */
const PATH = `${BASE_PATH}/events`;
/** Longest frame of a client in bytes; the same as the longest serial line. Longer closes with 1009. */
const MAX_FRAME_BYTES = 1024 * 1024;
const MAX_CLIENTS = 32;
/** Clients of one peer; the rest is reserved for the others. */
const MAX_OF_ONE_PEER = 24;
/** Time between two pings, in ms. A client that has not answered a ping by the next one is disconnected. */
const PING_MS = 20_000;
/** Buffered bytes of a client above which its events are queued in its session. */
const BUSY_BYTES = 256 * 1024;
/** Buffered bytes at which a client is disconnected: it sends requests and does not read the answers. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** How long clients may take to answer the close, in ms. */
const CLOSE_GRACE_MS = 1_000;

/** RFC 6455 section 7.4.1 and its registry. */
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

export interface EventSocketOptions {
  bus: EventBus;
  log: Logger;
  guard?: Guard;
  /** Time between two pings in ms; 20 s by default. */
  pingMs?: number;
}

/** Answers a plain GET of the socket's path, on REST and serial. Call before the app is ready. */
export function refusePlainEvents(app: FastifyInstance): void {
  if (app.hasRoute({ method: 'GET', url: PATH })) return;
  app.get(PATH, () => {
    throw new ApiError(
      'bad_request',
      'Events come over a WebSocket upgrade here, or on serial by subscribe.',
    );
  });
}

export class EventSocket {
  readonly #options: EventSocketOptions;
  #server: WebSocketServerType | undefined;
  readonly #clients = new Map<WebSocket, Client>();
  #pinger: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(options: EventSocketOptions) {
    this.#options = options;
  }

  /** Number of connected clients. */
  get clients(): number {
    return this.#clients.size;
  }

  /** Handles the `upgrade` event of an HTTP server. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // After an upgrade Node no longer handles the socket's errors; ws does so for sockets that it accepts.
    socket.on('error', () => socket.destroy());
    try {
      this.#admit(request);
    } catch (error) {
      answerRaw(socket, toApiError(error));
      return;
    }
    const peer = peerOf(request.socket);
    this.#accept().handleUpgrade(request, socket, head, (client) => this.#join(client, peer));
  };

  #admit(request: IncomingMessage): void {
    this.#options.guard?.(request);
    const [path, search = ''] = request.url?.split(/\?(.*)/s, 2) ?? [];
    if (path !== PATH) throw new ApiError('not_found', 'There is no WebSocket here.');
    parseText(Nothing, Object.fromEntries(new URLSearchParams(search)), '');
    if (this.#closing) throw new ApiError('unavailable', 'The agent is stopping.');
    if (this.#clients.size >= MAX_CLIENTS) {
      throw new ApiError('too_many_requests', `There are ${MAX_CLIENTS} clients already.`);
    }
    const peer = peerOf(request.socket);
    const ofPeer = [...this.#clients.values()].filter((client) => client.peer === peer);
    if (ofPeer.length >= MAX_OF_ONE_PEER) {
      throw new ApiError(
        'too_many_requests',
        `There are ${MAX_OF_ONE_PEER} clients of this address already.`,
      );
    }
  }

  /** Loaded with the first client, to save memory without one. */
  #accept(): WebSocketServerType {
    if (!this.#server) {
      const { WebSocketServer }: typeof import('ws') = require('ws');
      this.#server = new WebSocketServer({
        noServer: true,
        clientTracking: false,
        maxPayload: MAX_FRAME_BYTES,
        perMessageDeflate: false,
      });
      this.#server.on('wsClientError', (error, socket) => {
        answerRaw(socket, new ApiError('bad_request', error.message));
      });
      this.#pinger = setInterval(() => this.#ping(), this.#options.pingMs ?? PING_MS).unref();
    }
    return this.#server;
  }

  #join(socket: WebSocket, peer: string | undefined): void {
    const client = new Client(socket, peer, this.#options);
    this.#clients.set(socket, client);
    socket.on('close', () => {
      client.session.close();
      this.#clients.delete(socket);
    });
  }

  #ping(): void {
    for (const client of this.#clients.values()) client.ping();
  }

  /** Closes every client's socket; resolves within 1 s. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#pinger);
    const left = [...this.#clients.keys()].map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          socket.close(GOING_AWAY, 'the agent is stopping');
        }),
    );
    const timer = setTimeout(() => {
      for (const socket of this.#clients.keys()) socket.terminate();
    }, CLOSE_GRACE_MS);
    await Promise.all(left);
    clearTimeout(timer);
  }
}

/** One connected client. */
class Client {
  readonly session: EventSession;
  /** Identifies the other end, for counting. */
  readonly peer: string | undefined;
  readonly #socket: WebSocket;
  #alive = true;

  constructor(socket: WebSocket, peer: string | undefined, { bus, log }: EventSocketOptions) {
    this.#socket = socket;
    this.peer = peer;
    this.session = new EventSession(bus, {
      send: (text) => this.#send(text),
      ready: () => socket.bufferedAmount < BUSY_BYTES,
      overflow: () => socket.close(TRY_AGAIN_LATER, 'the client does not read its events'),
    });
    socket.on('pong', () => {
      this.#alive = true;
    });
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    // For invalid or too long frames ws closes the socket with the right code.
    socket.on('error', (error) => log.debug({ err: error }, 'event socket'));
  }

  #receive(data: import('ws').RawData, isBinary: boolean): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    let frame: unknown;
    try {
      // With the default `binaryType` a message is one Buffer.
      frame = isBinary || !Buffer.isBuffer(data) ? undefined : JSON.parse(data.toString());
    } catch {
      frame = undefined;
    }
    if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) {
      this.#send(errorFrame(new ApiError('bad_frame', 'A message is one JSON object as text.')));
      return;
    }
    this.session.receive({ ...frame });
  }

  #send(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) {
      this.#socket.close(TRY_AGAIN_LATER, 'the client does not read its answers');
      return;
    }
    this.#socket.send(text, () => this.session.flush());
  }

  /** Detects and ends a connection whose other end disappeared without closing it. */
  ping(): void {
    if (!this.#alive) {
      this.#socket.terminate();
      return;
    }
    this.#alive = false;
    this.#socket.ping();
  }
}
