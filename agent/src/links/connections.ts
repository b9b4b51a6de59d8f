/** Limits a server's connections, and decides which one is closed for a new one. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** One host drives the device; browsers open six connections each. */
const MAX_CONNECTIONS = 128;
/** Connections of one peer; the rest is reserved for the others. */
const MAX_OF_ONE_PEER = 96;

interface Connection {
  readonly socket: Socket;
  readonly peer: string;
  /** The answer to its last request. */
  response: ServerResponse | undefined;
  /** Whether it is a WebSocket. */
  upgraded: boolean;
  /** Grows with every connection and request, so that the least recently used connection has the smallest. */
  lastUse: number;
}

/**
 * Counts a server's connections, upgraded ones too. When a peer has reached its limit, or the server is full, the least
 * recently used connection without a request in progress is closed for the new one. When all of them are in use, the
 * new one is refused.
 */
export class Connections {
  readonly #all = new Set<Connection>();
  /** By the socket that requests arrive on: over TLS not the TCP socket. */
  readonly #ofRequests = new WeakMap<Socket, Connection>();
  #uses = 0;

  constructor(server: Server) {
    server.on('connection', (socket) => this.#take(socket));
    server.on('secureConnection', (secure: Socket) => this.#secured(secure));
  }

  /** A request has begun. */
  used(socket: Socket, response: ServerResponse): void {
    const connection = this.#ofRequests.get(socket);
    if (!connection) return;
    connection.response = response;
    this.#uses += 1;
    connection.lastUse = this.#uses;
  }

  /** The connection became a WebSocket: it is never closed for another one. */
  upgraded(socket: Socket): void {
    const connection = this.#ofRequests.get(socket);
    if (connection) connection.upgraded = true;
  }

  /** Whether a request on the connection has arrived completely and its answer has not begun. */
  isWorking(socket: Socket): boolean {
    const response = this.#ofRequests.get(socket)?.response;
    return response?.req.complete === true && !response.headersSent;
  }

  /** Closes every connection at once. */
  destroy(): void {
    for (const { socket } of this.#all) socket.destroy();
  }

  #take(socket: Socket): void {
    const peer = peerOf(socket);
    // Without an address it is already closed.
    if (peer === undefined || !this.#hasRoomFor(peer)) {
      socket.destroy();
      return;
    }
    this.#uses += 1;
    const connection: Connection = {
      socket,
      peer,
      response: undefined,
      upgraded: false,
      lastUse: this.#uses,
    };
    this.#all.add(connection);
    this.#ofRequests.set(socket, connection);
    socket.once('close', () => this.#all.delete(connection));
  }

  #secured(secure: Socket): void {
    for (const connection of this.#all) {
      const { remoteAddress, remotePort } = connection.socket;
      const isSame = remotePort === secure.remotePort && remoteAddress === secure.remoteAddress;
      if (isSame) this.#ofRequests.set(secure, connection);
    }
  }

  #hasRoomFor(peer: string): boolean {
    const counts = new Map<string, number>();
    for (const each of this.#all) counts.set(each.peer, (counts.get(each.peer) ?? 0) + 1);
    if ((counts.get(peer) ?? 0) >= MAX_OF_ONE_PEER) return this.#closeIdle(peer);
    if (this.#all.size < MAX_CONNECTIONS) return true;
    const byCount = [...counts].sort(([, one], [, other]) => other - one);
    return byCount.some(([each]) => this.#closeIdle(each));
  }

  /** @returns false when every connection of the peer is in use */
  #closeIdle(peer: string): boolean {
    let oldest: Connection | undefined;
    for (const each of this.#all) {
      const idle = each.peer === peer && !each.upgraded && (each.response?.writableFinished ?? true);
      if (idle && (!oldest || each.lastUse < oldest.lastUse)) oldest = each;
    }
    if (!oldest) return false;
    this.#all.delete(oldest);
    oldest.socket.destroy();
    return true;
  }
}

/**
 * Identifies the other end for counting: an IPv4 address, an IPv6 /64 network, since one computer may use any address
 * of its network, or the device itself. Undefined when the connection has ended.
 */
export function peerOf({ remoteAddress, localAddress }: Socket): string | undefined {
  if (remoteAddress === undefined) return undefined;
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '');
  if (remoteAddress === localAddress || address === '127.0.0.1' || address === '::1') return 'this device';
  return address.includes(':') ? networkOf(address) : address;
}

function networkOf(address: string): string {
  const [bare = '', zone = ''] = address.split('%', 2);
  const [head = '', tail] = bare.split('::', 2);
  const groups = head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length;
    for (let missing = 8 - groups.length - after; missing > 0; missing -= 1) groups.push('0');
  }
  return `${groups.slice(0, 4).join(':')}%${zone}`;
}
