/** The WebSocket link: events and page messages at `{base_url}/events` (docs/api.md: Events). */
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { WebSocket, WebSocketServer as WebSocketServerType } from 'ws';
import type { Logger } from '../base/logger.ts';
import { BASE_PATH } from '../contract/api.ts';
import { ApiError } from '../contract/errors.ts';
import { isTooDeep, notJson, tooDeep } from '../contract/json.ts';
import { Nothing } from '../contract/shared.ts';
import type { EventBus } from '../events/bus.ts';
import { EventSession, errorFrame, type SendToPage } from '../events/session.ts';
import { parseText, validator } from '../validation/validator.ts';
import { toApiError } from './answers.ts';
import { peerOf } from './connections.ts';
import type { Guard } from './guard.ts';
import { answerRaw } from './http.ts';

const require = createRequire(import.meta.url);
const nothing = validator(Nothing);

/** Path of the upgrade. */
const PATH = `${BASE_PATH}/events`;
/** Longest frame of a client in bytes: a message to the page of 1 MiB, and what is around it. Longer closes with 1009. */
const MAX_FRAME_BYTES = 1024 * 1024 + 4096;
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
  sendToPage: SendToPage;
  guard?: Guard;
}

interface Client {
  readonly socket: WebSocket;
  /** Identifies the other end, for counting. */
  readonly peer: string | undefined;
  /** Whether it has answered the last ping. */
  alive: boolean;
}

/** Answers a plain GET of the socket's path, on REST and serial. Call before the app is ready. */
export function refusePlainEvents(app: FastifyInstance): void {
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
  readonly #clients = new Set<Client>();
  #pinger: NodeJS.Timeout | undefined;
  #closed = false;

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
    const peer = peerOf(request.socket);
    try {
      this.#admit(request, peer);
    } catch (error) {
      answerRaw(socket, toApiError(error));
      return;
    }
    this.#accept().handleUpgrade(request, socket, head, (client) => this.#join(client, peer));
  };

  #admit(request: IncomingMessage, peer: string | undefined): void {
    this.#options.guard?.(request);
    const [path, search = ''] = request.url?.split(/\?(.*)/s, 2) ?? [];
    if (path !== PATH) throw new ApiError('not_found', `There is no WebSocket here. It is at ${PATH}.`);
    parseText(nothing, Object.fromEntries(new URLSearchParams(search)));
    if (this.#closed) throw new ApiError('unavailable', 'The agent is stopping.');
    const ofPeer = [...this.#clients].filter((client) => client.peer === peer);
    if (this.#clients.size >= MAX_CLIENTS || ofPeer.length >= MAX_OF_ONE_PEER) {
      const message = `There are ${this.#clients.size} clients already, ${ofPeer.length} of them of this address.`;
      throw new ApiError('too_many_requests', message);
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
      this.#pinger = setInterval(() => this.#ping(), PING_MS).unref();
    }
    return this.#server;
  }

  #join(socket: WebSocket, peer: string | undefined): void {
    const client: Client = { socket, peer, alive: true };
    const send = (text: string) => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) {
        socket.close(TRY_AGAIN_LATER, 'the client does not read its answers');
      } else {
        socket.send(text, () => session.flush());
      }
    };
    const sink = {
      send,
      ready: () => socket.bufferedAmount < BUSY_BYTES,
      overflow: () => socket.close(TRY_AGAIN_LATER, 'the client does not read its events'),
    };
    const session = new EventSession(this.#options.bus, sink, this.#options.sendToPage);
    this.#clients.add(client);
    socket.on('close', () => {
      session.close();
      this.#clients.delete(client);
    });
    socket.on('pong', () => {
      client.alive = true;
    });
    socket.on('message', (data, isBinary) => {
      if (socket.readyState !== socket.OPEN) return;
      const frame = isBinary
        ? new ApiError('bad_frame', 'The frame is binary. Send one JSON object as text.')
        : parseFrame(String(data));
      if (frame instanceof ApiError) send(errorFrame(frame));
      else session.receive(frame);
    });
    // For invalid or too long frames ws closes the socket with the right code.
    socket.on('error', (error) => this.#options.log.debug({ err: error }, 'event socket'));
  }

  /** Detects and ends connections whose other end disappeared without closing them. */
  #ping(): void {
    for (const client of this.#clients) {
      if (!client.alive) client.socket.terminate();
      else client.socket.ping();
      client.alive = false;
    }
  }

  /** Closes every client's socket; resolves within 1 s. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#pinger);
    const sockets = [...this.#clients].map(({ socket }) => socket);
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of sockets) socket.close(GOING_AWAY, 'the agent is stopping');
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.terminate();
    }, CLOSE_GRACE_MS);
    await Promise.all(closed);
    clearTimeout(timer);
  }
}

/** The frame, or why it is none. */
function parseFrame(text: string): Record<string, unknown> | ApiError {
  if (isTooDeep(text, 1)) return tooDeep('The frame');
  try {
    const frame: unknown = JSON.parse(text);
    if (typeof frame === 'object' && frame !== null && !Array.isArray(frame)) return { ...frame };
  } catch {
    return new ApiError('bad_frame', notJson('The frame', text));
  }
  return new ApiError('bad_frame', 'The frame is not a JSON object.');
}
