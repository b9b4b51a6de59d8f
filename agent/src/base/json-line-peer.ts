import type { Server, Socket } from 'node:net';
import { Budget } from './budget.ts';
import type { Records } from './limited-log.ts';
import { LineSplitter } from './line-splitter.ts';
import { PeerCalls, PeerError } from './peer-calls.ts';
import { listenOnUnixSocket, type UnixSocketOptions } from './unix-socket.ts';

/** A greeting that is one too many waits for so long, in ms. */
const GREET_AGAIN_MS = 50;

/** A peer broke a rule of its protocol: its connection is closed. */
export class ProtocolViolation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProtocolViolation';
  }
}

/** On average, and at once. */
export interface Rate {
  perSecond: number;
  atOnce: number;
}

export interface PeerLimits {
  /** One peer, and some that are ending or starting. */
  connections: number;
  /** Longest line of the peer, in bytes. */
  lineBytes: number;
  /** A connection without a greeting is closed after this time, in ms. */
  greetingMs: number;
  /** Connections that greet. Further ones wait, and count as silent. */
  greetings: Rate;
  /** What a peer may send, as `take` counts it; above it, the peer is read slower. */
  messages: Rate;
  bytes: Rate;
  /** Longest command, in bytes. */
  commandBytes: number;
  /** Commands that the peer has not read, in bytes; more means that it hangs. */
  unreadBytes: number;
  /** Commands that the peer has not answered. */
  calls: number;
}

/** What the peer's messages mean. @typeParam P what is known of a peer */
export interface PeerProtocol<P extends object> {
  /**
   * Reads the first message of a connection.
   * @returns undefined to close the connection
   * @throws ProtocolViolation
   */
  greet(first: object): P | undefined;
  /** This is the peer from now on. */
  connected(peer: P): void;
  /** The peer is gone, or another one takes its place. */
  disconnected(): void;
  /**
   * Takes a further message of a peer.
   * @returns what it costs (`PeerLimits.messages`)
   * @throws ProtocolViolation
   */
  take(peer: P, message: object): number;
}

export interface JsonLinePeerOptions<P extends object> extends UnixSocketOptions {
  /** For errors and records, for example `browser`. */
  name: string;
  limits: PeerLimits;
  protocol: PeerProtocol<P>;
  log: Records;
}

/**
 * The agent's end of a unix socket to which one process connects at a time. Both send objects as lines of JSON. The
 * peer's first one is a greeting; the agent's are commands with a number, `{"id":1,"command":"x"}`, which the peer
 * answers.
 *
 * Nothing tells the peer from another process of its user, which could run or trace it anyway, so the latest one is
 * believed: a new connection takes the place of the oldest that has said nothing, and a new greeting replaces the peer
 * before. A peer that breaks a rule is disconnected, and one that sends much is read slower.
 * @typeParam P what is known of a peer @typeParam A an answer to a command
 */
export class JsonLinePeer<P extends object, A> {
  readonly #options: JsonLinePeerOptions<P>;
  readonly #sockets = new Set<Socket>();
  /** Those without a greeting, the oldest first. */
  readonly #silent = new Set<Socket>();
  readonly #greetings: Budget;
  /** The commands that wait for an answer. The protocol settles them. */
  readonly calls: PeerCalls<A>;
  #server: Server | undefined;
  #current: { socket: Socket; peer: P } | undefined;

  constructor(options: JsonLinePeerOptions<P>) {
    const { name, limits } = options;
    this.#options = options;
    this.#greetings = budget(limits.greetings);
    this.calls = new PeerCalls(name, limits.calls);
  }

  /** What is known of the peer; undefined while none is connected. */
  get current(): P | undefined {
    return this.#current?.peer;
  }

  /**
   * Creates the socket, and replaces one that a killed agent left.
   * @throws Error when another agent serves it
   */
  async start(): Promise<void> {
    const { name, log } = this.#options;
    this.#server = await listenOnUnixSocket(this.#options, (socket) => this.#accept(socket));
    this.#server.on('error', (error) => log.error({ err: error }, `the ${name}'s socket failed`));
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /**
   * Sends a command and waits for its answer.
   * @param id from `calls.nextId()`
   * @throws PeerError `disconnected`, `too_large`, `busy` or `timeout`, and what the protocol rejects the call with
   */
  async call(command: string, fields: object, timeoutMs: number, id = this.calls.nextId()): Promise<A> {
    const { name, limits } = this.#options;
    const socket = this.#current?.socket;
    if (!socket) throw new PeerError('disconnected', `the ${name} is not connected`);
    // Fields may come from anybody: they never replace the command.
    const head = { id, command };
    const line = Buffer.from(`${JSON.stringify({ ...head, ...fields, ...head }, wellFormed)}\n`);
    if (line.length > limits.commandBytes) throw new PeerError('too_large', `${command} is too large`);
    if (socket.writableLength > limits.unreadBytes || this.calls.isFull) {
      throw new PeerError('busy', `the ${name} does not read or answer its commands`);
    }
    socket.write(line);
    return await this.calls.answer(id, command, timeoutMs);
  }

  #accept(socket: Socket): void {
    const { name, limits, log } = this.#options;
    this.#makeRoom();
    this.#sockets.add(socket);
    this.#silent.add(socket);
    const read = this.#reader(socket);
    const greetingTimer = setTimeout(() => {
      if (this.#silent.has(socket)) socket.destroy();
    }, limits.greetingMs);
    let resumeTimer: NodeJS.Timeout | undefined;
    const readOn = (chunk?: Buffer): void => {
      try {
        const wait = read(chunk);
        if (wait === 0) {
          socket.resume();
          return;
        }
        socket.pause();
        resumeTimer = setTimeout(readOn, wait);
      } catch (error) {
        // After any other failure, too: what was read may be half taken, and a new connection begins again.
        socket.destroy();
        if (error instanceof ProtocolViolation) {
          log.warn({ reason: error.message }, `the ${name} broke the protocol`);
        } else log.error({ err: error }, `a message of the ${name} could not be taken`);
      }
    };
    socket.on('error', () => undefined); // close follows
    socket.on('data', readOn);
    socket.on('close', () => {
      clearTimeout(greetingTimer);
      clearTimeout(resumeTimer);
      this.#sockets.delete(socket);
      this.#silent.delete(socket);
      if (socket === this.#current?.socket) this.#disconnected();
    });
  }

  /** Closes the oldest connection that has said nothing, when there are too many. */
  #makeRoom(): void {
    const [oldest] = this.#silent;
    if (!oldest || this.#sockets.size < this.#options.limits.connections) return;
    oldest.destroy();
    this.#silent.delete(oldest);
    this.#sockets.delete(oldest);
  }

  /** Reads what a connection sends, or goes on after a pause. The result says how long to read no more, in ms. */
  #reader(socket: Socket): (chunk?: Buffer) => number {
    const { limits, protocol } = this.#options;
    const lines = new LineSplitter(limits.lineBytes);
    const messages = budget(limits.messages);
    const bytes = budget(limits.bytes);
    let first: Buffer | undefined;
    let peer: P | undefined;
    return (chunk) => {
      let wait = bytes.spend(chunk?.length ?? 0);
      if (chunk) lines.push(chunk);
      first ??= copyOf(lines.next());
      if (first && !peer && !socket.destroyed) {
        if (!this.#greetings.take()) return GREET_AGAIN_MS;
        peer = this.#greet(socket, first);
      }
      while (peer && wait === 0 && !socket.destroyed) {
        const line = lines.next();
        if (!line) break;
        wait = messages.spend(protocol.take(peer, objectOf(line)));
      }
      if (lines.overlong > 0) throw new ProtocolViolation(`a line has more than ${limits.lineBytes} bytes`);
      return wait;
    };
  }

  /** Takes the first line. @returns undefined when the connection was closed */
  #greet(socket: Socket, line: Buffer): P | undefined {
    const { protocol } = this.#options;
    const peer = protocol.greet(objectOf(line));
    if (!peer) {
      socket.destroy();
      return undefined;
    }
    this.#silent.delete(socket);
    const before = this.#current;
    if (before) {
      this.#disconnected();
      before.socket.destroy();
    }
    this.#current = { socket, peer };
    protocol.connected(peer);
    return peer;
  }

  #disconnected(): void {
    this.#current = undefined;
    this.calls.disconnect();
    this.#options.protocol.disconnected();
  }
}

function budget({ perSecond, atOnce }: Rate): Budget {
  return new Budget(perSecond, atOnce);
}

/** A line of a splitter is valid until the next one only. */
function copyOf(line: Buffer | undefined): Buffer | undefined {
  return line && Buffer.from(line);
}

/** @throws ProtocolViolation */
function objectOf(line: Buffer): object {
  try {
    const value: unknown = JSON.parse(line.toString());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // It is not JSON.
  }
  throw new ProtocolViolation('a line is not a JSON object');
}

/** A peer in C ends strings at a NUL, and may not read a line with an unpaired surrogate; stored text may have both. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;
}
