import { connect, type Socket } from 'node:net';
import { Backoff } from '../base/backoff.ts';
import type { Records } from '../base/limited-log.ts';
import { LineSplitter } from '../base/line-splitter.ts';
import { errorMessage } from '../base/system-error.ts';
import { PROTOCOL } from './protocol.ts';

/** Between two attempts to connect: the first pause and the longest, in ms. */
const RECONNECT_MS = [250, 5000] as const;
/** Longest command: the longest APDU or message in base64, and some fields. In bytes. */
const MAX_LINE_BYTES = 100_000;
/** What the agent has not read, in bytes; with more it hangs, and a new connection begins anew. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

export interface ConnectionOptions {
  path: string;
  /** A connection begins. */
  connected(): void;
  /** @param answer sends an answer on the connection that the message came from, if that is still there */
  take(message: unknown, answer: (message: object) => void): void;
  log: Records;
}

/** The program's end of the agent's socket: connects, says hello, and connects again when the agent is gone. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #backoff = new Backoff(...RECONNECT_MS);
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  start(): void {
    const { path, connected, take, log } = this.#options;
    const socket = connect(path);
    const lines = new LineSplitter(MAX_LINE_BYTES);
    const answer = (message: object): void => write(socket, message);
    this.#socket = socket;
    socket.on('connect', () => {
      connected();
      this.send({ event: 'hello', protocol: PROTOCOL, pid: process.pid });
    });
    socket.on('data', (piece) => {
      this.#backoff.reset();
      lines.forEach(piece, (line) => take(parse(line), answer));
      if (lines.overlong > 0) socket.destroy();
    });
    socket.on('error', (error) => log.debug({ reason: errorMessage(error) }, 'the agent is not reachable'));
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
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
    if (this.#socket) write(this.#socket, message);
  }
}

/** Nothing may come before the hello, so nothing is sent while it connects. */
function write(socket: Socket, message: object): void {
  if (!socket.writable || socket.connecting) return;
  if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
  else socket.write(`${JSON.stringify(message)}\n`);
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}
