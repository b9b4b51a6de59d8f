import { connect, type Socket } from 'node:net';
import { Backoff } from './backoff.ts';
import type { Records } from './limited-log.ts';
import { LineSplitter } from './line-splitter.ts';
import { errorMessage } from './system-error.ts';

/** Between two attempts to connect: the first pause and the longest, in ms. */
const RECONNECT_MS = [250, 5000] as const;

export interface AgentConnectionOptions {
  /** The agent's unix socket. */
  path: string;
  /** The first message of every connection, beside `event: 'hello'`. */
  hello: object;
  /** Longest command, in bytes. */
  maxLineBytes: number;
  /** What the agent has not read, in bytes; with more it hangs, and a new connection begins anew. */
  maxUnreadBytes: number;
  /** A connection begins. */
  connected(): void;
  /** A connection has ended, before the next one begins. */
  disconnected?(): void;
  /** The agent has read everything. */
  drained?(): void;
  /** @param answer sends an answer on the connection that the message came from, if that is still there */
  take(message: unknown, answer: (message: object) => void): void;
  log: Records;
}

/** A program's end of the agent's socket: connects, says hello, and connects again when the agent is gone. */
export class AgentConnection {
  readonly #options: AgentConnectionOptions;
  readonly #backoff = new Backoff(...RECONNECT_MS);
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AgentConnectionOptions) {
    this.#options = options;
  }

  /** What the agent has not read, in bytes; 0 without a connection. */
  get unreadBytes(): number {
    return this.#socket?.writableLength ?? 0;
  }

  start(): void {
    const { path, hello, maxLineBytes, connected, take, log } = this.#options;
    const socket = connect(path);
    const lines = new LineSplitter(maxLineBytes);
    const answer = (message: object): void => this.#write(socket, message);
    let isConnected = false;
    this.#socket = socket;
    socket.on('connect', () => {
      isConnected = true;
      connected();
      this.send({ event: 'hello', ...hello });
    });
    socket.on('data', (piece) => {
      this.#backoff.reset();
      lines.forEach(piece, (line) => take(parse(line), answer));
      if (lines.overlong > 0) socket.destroy();
    });
    socket.on('drain', () => this.#options.drained?.());
    socket.on('error', (error) => log.debug({ reason: errorMessage(error) }, 'the agent is not reachable'));
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      if (isConnected) this.#options.disconnected?.();
      this.#timer = setTimeout(() => this.start(), this.#backoff.next());
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }

  /** Without a connection, the message is dropped: the next one begins anew. */
  send(message: object): void {
    if (this.#socket) this.#write(this.#socket, message);
  }

  /** Nothing may come before the hello, so nothing is sent while it connects. */
  #write(socket: Socket, message: object): void {
    if (!socket.writable || socket.connecting) return;
    if (socket.writableLength > this.#options.maxUnreadBytes) socket.destroy();
    else socket.write(`${JSON.stringify(message)}\n`);
  }
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}
