/** A serial port in memory, with its host, for the tests of the link. */
import type { SerialPort } from '../port.ts';
import { MAX_PENDING_BYTES, type SerialHandler, type SerialLine } from '../pump.ts';

type Line = Readonly<Record<string, unknown>>;

interface Waiting {
  bytes: Buffer;
  done: (sent: boolean) => void;
}

/** Both ends: the agent's port, and what a host does at the other end. */
export class MemoryPort implements SerialPort, SerialLine {
  readonly path = '/dev/memory';
  detectsHost = true;
  pendingBytes = 0;
  paused = false;
  /** Bytes that the port refused, as the real one does for a host that does not read. */
  dropped = 0;
  readonly #handler: SerialHandler;
  readonly #waiting: Waiting[] = [];
  #reading = true;
  #open = false;
  #received = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #arrived: (() => void)[] = [];

  constructor(handler: SerialHandler) {
    this.#handler = handler;
  }

  write(bytes: Buffer | string): Promise<boolean> {
    const buffer = Buffer.from(bytes);
    if (!this.#open || this.pendingBytes + buffer.length > MAX_PENDING_BYTES) {
      this.dropped += buffer.length;
      return Promise.resolve(false);
    }
    return new Promise((done) => {
      this.pendingBytes += buffer.length;
      this.#waiting.push({ bytes: buffer, done });
      if (this.#reading) setImmediate(() => this.#deliver());
    });
  }

  #deliver(): void {
    if (!this.#reading) return;
    for (const { bytes, done } of this.#waiting.splice(0)) {
      this.pendingBytes -= bytes.length;
      this.#parts.push(bytes);
      done(true);
    }
    for (const wake of this.#arrived.splice(0)) wake();
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  async close(): Promise<void> {
    this.leave();
  }

  /** The host opens the port. */
  open(): void {
    this.#open = true;
    this.#received = Buffer.alloc(0);
    this.#parts = [];
    this.#handler.onOpen(this);
  }

  /** The host closes the port, or the cable is pulled. */
  leave(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const { done } of this.#waiting.splice(0)) done(false);
    this.pendingBytes = 0;
    this.#handler.onClose();
  }

  /** The host stops or starts to read. */
  set reading(reading: boolean) {
    this.#reading = reading;
    if (reading) this.#deliver();
  }

  /** The host sends text as it is, or a frame. */
  send(what: string | Buffer | Line): void {
    if (typeof what === 'string' || Buffer.isBuffer(what)) this.#handler.onData(Buffer.from(what), this);
    else this.#handler.onData(Buffer.from(`${JSON.stringify(what)}\n`), this);
  }

  /** The next complete line that the device sent, as an object. */
  async line(): Promise<Line> {
    const end = await this.#find('\n');
    const text = this.#received.subarray(0, end).toString();
    this.#received = this.#received.subarray(end + 1);
    return JSON.parse(text);
  }

  /** Raw output up to and with `text`. */
  async until(text: string): Promise<string> {
    const at = await this.#find(text);
    const got = this.#received.subarray(0, at + text.length).toString();
    this.#received = this.#received.subarray(at + text.length);
    return got;
  }

  async #find(text: string): Promise<number> {
    const deadline = AbortSignal.timeout(60_000);
    // Where the search goes on, so that a long output is read once.
    for (let from = 0; ; ) {
      if (this.#parts.length > 0) this.#received = Buffer.concat([this.#received, ...this.#parts.splice(0)]);
      const at = this.#received.indexOf(text, from);
      if (at >= 0) return at;
      from = Math.max(this.#received.length - text.length, 0);
      await new Promise<void>((resolve, reject) => {
        this.#arrived.push(resolve);
        deadline.onabort = () => reject(new Error(`no ${text}; last: ${this.#received.subarray(-200)}`));
      });
    }
  }
}
