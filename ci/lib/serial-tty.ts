import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { PseudoTerminal } from './pseudo-terminal.ts';

/** How often an unused tty is looked at, and one in use while nothing moves, in ms. */
const UNUSED_POLL_MS = 20;
const IDLE_POLL_MS = 4;
const BUFFER_BYTES = 64 * 1024;
/**
 * Between two clients, in ms. A device looks every 100 ms whether its host is there (agent/src/links/serial/port.ts), and
 * greets the second one only if it has seen the first one leave. QEMU does not tell it of a shorter absence.
 */
const PAUSE_MS = 250;
/** Time limit to send what a program has written before it closed the tty, in ms. */
const FINISH_MS = 2000;

interface Session {
  socket: Socket;
  /** From the device, for a program that has not read yet. The socket is paused as long as there is something. */
  unread: Buffer;
}

/**
 * A tty for the serial link of a virtual device, which itself is a unix socket: while a program has the tty open, it is
 * connected with the socket. So the device greets whoever opens it. The socket takes one client at a time: a program that
 * opens the tty while the socket is in use, or the other way round, waits until the other one has closed.
 *
 * Each program gets a new pseudo-terminal, in raw mode and without what was not read before; the link leads to the next one.
 */
export class SerialTty {
  /** A symbolic link to the tty. */
  readonly path: string;
  readonly #socketPath: string;
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);
  #terminal: PseudoTerminal;
  #session: Session | undefined;
  /** What a program that waits for its connection has written at first. */
  #first: Buffer | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the next client may connect, on the clock of `performance.now()`. */
  #nextAt = 0;
  #isClosed = false;

  /**
   * @param path of the symbolic link, which is replaced
   * @param socketPath the device's serial link
   * @throws Error of the system
   */
  constructor(path: string, socketPath: string) {
    this.path = path;
    this.#socketPath = socketPath;
    this.#terminal = this.#offer();
    this.#schedule(0);
  }

  /** Ends the line for a program that has the tty open, and removes the link. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    rmSync(this.path, { force: true });
    this.#session?.socket.destroy();
    this.#terminal.close();
  }

  /** Makes a pseudo-terminal and points the link at it, which is at no time missing. */
  #offer(): PseudoTerminal {
    const terminal = new PseudoTerminal();
    const next = `${this.path}.next`;
    rmSync(next, { force: true });
    symlinkSync(terminal.path, next);
    renameSync(next, this.path);
    return terminal;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#schedule(this.#step()), ms);
  }

  /** Moves what can be moved now. @returns how long to wait before the next time, in ms */
  #step(): number {
    const session = this.#session;
    if (this.#terminal.wasReopened()) {
      // Another program has opened it before the end of this one was noticed.
      this.#first = undefined;
      if (session) this.#leave(session);
    }
    if (!session || this.#session !== session) return this.#wait();
    if (session.socket.connecting) return IDLE_POLL_MS;
    const hasWritten = this.#flush(session);
    // A device that takes nothing stops the program, like the cable.
    if (session.socket.writableLength > BUFFER_BYTES) return IDLE_POLL_MS;
    const count = this.#terminal.read(this.#buffer);
    if (count < 0) {
      this.#end(session);
      return UNUSED_POLL_MS;
    }
    if (count > 0) session.socket.write(Buffer.from(this.#buffer.subarray(0, count)));
    return count > 0 || hasWritten ? 0 : IDLE_POLL_MS;
  }

  /** Waits for a program, then for the moment at which it may be connected, and connects it. */
  #wait(): number {
    if (performance.now() < this.#nextAt) return UNUSED_POLL_MS;
    if (this.#first) {
      this.#begin(this.#first);
      return IDLE_POLL_MS;
    }
    const count = this.#terminal.read(this.#buffer);
    if (count < 0) return UNUSED_POLL_MS;
    this.#first = Buffer.from(this.#buffer.subarray(0, count));
    // A client of the socket may have left it just now.
    this.#nextAt = performance.now() + PAUSE_MS;
    return UNUSED_POLL_MS;
  }

  #begin(first: Buffer): void {
    const socket = connect(this.#socketPath);
    const session: Session = { socket, unread: Buffer.alloc(0) };
    this.#session = session;
    let isConnected = false;
    socket.on('connect', () => {
      isConnected = true;
      this.#first = undefined;
      if (first.length > 0) socket.write(first);
    });
    socket.on('data', (chunk) => {
      session.unread = chunk;
      this.#flush(session);
    });
    // The device is gone, or does not accept another client.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (isConnected) this.#end(session);
      // The socket had another client, or the queue before it was full: the program waits.
      else if (this.#session === session) this.#leave(session);
    });
  }

  /** Gives the program what it has room for. @returns whether that was something */
  #flush(session: Session): boolean {
    if (this.#session !== session || session.unread.length === 0) return false;
    const count = this.#terminal.write(session.unread);
    session.unread = session.unread.subarray(count);
    if (session.unread.length > 0) session.socket.pause();
    else session.socket.resume();
    return count > 0;
  }

  /** The program or the device has closed the line. */
  #end(session: Session): void {
    if (this.#session !== session || this.#isClosed) return;
    this.#leave(session);
    this.#first = undefined;
    const old = this.#terminal;
    try {
      this.#terminal = this.#offer();
    } catch {
      // This computer has no more pseudo-terminals: the device goes on without this one.
      this.close();
      return;
    }
    old.close();
    this.#schedule(UNUSED_POLL_MS);
  }

  /** Ends the connection with the device when what was written is sent. */
  #leave({ socket }: Session): void {
    this.#session = undefined;
    this.#nextAt = performance.now() + PAUSE_MS;
    socket.removeAllListeners('data').resume();
    socket.end();
    const limit = setTimeout(() => socket.destroy(), FINISH_MS).unref();
    socket.once('close', () => clearTimeout(limit));
  }
}
