/** Writes log records to standard error without ever waiting for the reader. */
import { writeSync } from 'node:fs';
import { errorCode } from './system-error.ts';

const STDERR = 2;
/** Limit of buffered records; beyond it records are dropped and counted. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** Interval at which a write to a stalled reader is retried, in ms. */
const RETRY_MS = 100;
/** How long the last records are retried when the process exits, and the interval, in ms. */
const FLUSH_MS = 500;
const FLUSH_PAUSE_MS = 10;
/** Pino's log levels. */
const WARN = 40;
const FATAL = 60;
/** Makes pino set `lastLevel`. */
const METADATA: unique symbol = Symbol.for('pino.metadata');

interface Buffered {
  bytes: Buffer;
  /** Number of records it stands for: 1, or the number of dropped ones. */
  records: number;
}

/**
 * A destination for pino. A record is written at once. When the reader stalls (journald, a full pipe) it is buffered, and
 * beyond MAX_BUFFERED_BYTES records are dropped until the buffer is empty. A record with their number replaces them.
 */
export class LogOutput {
  readonly [METADATA] = true;
  /** Set by pino before each `write`. */
  lastLevel = 0;
  #buffer: Buffered[] = [];
  #bufferedBytes = 0;
  #dropped = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor() {
    // Opening this stream makes a pipe or socket non-blocking; Node makes it blocking again at exit.
    void process.stderr;
    process.once('exit', () => this.flushSync());
  }

  /** @param line one record with its line feed */
  write(line: string): void {
    const bytes = Buffer.from(line);
    const stalled = this.#buffer.length > 0;
    const full = this.#dropped > 0 || this.#bufferedBytes + bytes.length > MAX_BUFFERED_BYTES;
    if (stalled && full && this.lastLevel < FATAL) {
      this.#dropped += 1;
      return;
    }
    this.#addDropped();
    this.#add(bytes, 1);
    if (!stalled) this.#drain();
  }

  /** Waits shortly for the reader; pino calls it after a fatal record. */
  flushSync(): void {
    const deadline = performance.now() + FLUSH_MS;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!this.#drain() && performance.now() < deadline) Atomics.wait(pause, 0, 0, FLUSH_PAUSE_MS);
  }

  /** @returns false when records are still buffered */
  #drain(): boolean {
    clearTimeout(this.#retry);
    for (let first = this.#buffer[0]; first; first = this.#buffer[0]) {
      try {
        const written = writeSync(STDERR, first.bytes);
        this.#bufferedBytes -= written;
        first.bytes = first.bytes.subarray(written);
      } catch (error) {
        if (errorCode(error) === 'EAGAIN') {
          this.#retry = setTimeout(() => this.#drain(), RETRY_MS).unref();
          return false;
        }
        // The reader is gone. The next record tries again.
        for (const { records } of this.#buffer.splice(0)) this.#dropped += records;
        this.#bufferedBytes = 0;
        return true;
      }
      if (first.bytes.length > 0) continue;
      this.#buffer.shift();
      if (this.#buffer.length === 0) this.#addDropped();
    }
    return true;
  }

  #addDropped(): void {
    if (this.#dropped === 0) return;
    const msg = `${this.#dropped} records dropped: the log was not read`;
    this.#add(Buffer.from(`${JSON.stringify({ level: WARN, time: Date.now(), msg })}\n`), this.#dropped);
    this.#dropped = 0;
  }

  #add(bytes: Buffer, records: number): void {
    this.#buffer.push({ bytes, records });
    this.#bufferedBytes += bytes.length;
  }
}
