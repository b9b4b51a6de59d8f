/** Standard error as a place for log records that never waits for its reader. */
import { writeSync } from 'node:fs';
import { errorCode } from './system-error.ts';

const STDERR = 2;
/** What may wait for a reader; beyond it records are dropped and counted. */
const MAX_WAITING_BYTES = 256 * 1024;
/** How often a reader that does not read is looked at again, in ms. */
const RETRY_MS = 100;
/** How long the last records wait for their reader when the process ends, in ms, and the pauses within. */
const FLUSH_MS = 500;
const FLUSH_PAUSE_MS = 10;
/** Pino's levels of a warning, and of what ends the process. */
const WARN = 40;
const FATAL = 60;
/** By this pino finds out that we want to know the level of each record. */
const METADATA: unique symbol = Symbol.for('pino.metadata');

interface Waiting {
  bytes: Buffer;
  /** How many records it stands for: one, or those that were dropped. */
  records: number;
}

/**
 * A destination for pino. A record is written at once; when the reader does not read (a stalled journald, a pipe that
 * nobody drains) it waits here, and past MAX_WAITING_BYTES records are dropped until all that waits has been read. A
 * record in their place says how many.
 */
export class LogOutput {
  readonly [METADATA] = true;
  /** Set by pino before each `write`. */
  lastLevel = 0;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor() {
    // Node makes a pipe or socket non-blocking when it opens the stream for it, and blocking again at exit.
    void process.stderr;
    process.once('exit', () => this.flushSync());
  }

  /** @param line one record with its line end */
  write(line: string): void {
    const bytes = Buffer.from(line);
    const stalled = this.#waiting.length > 0;
    const full = this.#dropped > 0 || this.#waitingBytes + bytes.length > MAX_WAITING_BYTES;
    if (stalled && full && this.lastLevel < FATAL) {
      this.#dropped += 1;
      return;
    }
    this.#tellDropped();
    this.#add(bytes, 1);
    if (!stalled) this.#drain();
  }

  /** Gives the reader a moment to take what waits; pino calls it after a fatal record. */
  flushSync(): void {
    const deadline = performance.now() + FLUSH_MS;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!this.#drain() && performance.now() < deadline) Atomics.wait(pause, 0, 0, FLUSH_PAUSE_MS);
  }

  /** @returns false when something waits for the reader */
  #drain(): boolean {
    clearTimeout(this.#retry);
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      try {
        const written = writeSync(STDERR, first.bytes);
        this.#waitingBytes -= written;
        first.bytes = first.bytes.subarray(written);
      } catch (error) {
        if (errorCode(error) === 'EAGAIN') {
          this.#retry = setTimeout(() => this.#drain(), RETRY_MS).unref();
          return false;
        }
        // There is no reader any more; the next record finds out whether there is one again.
        for (const { records } of this.#waiting.splice(0)) this.#dropped += records;
        this.#waitingBytes = 0;
        return true;
      }
      if (first.bytes.length > 0) continue;
      this.#waiting.shift();
      if (this.#waiting.length === 0) this.#tellDropped();
    }
    return true;
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    const msg = `${this.#dropped} records dropped: the log was not read`;
    this.#add(Buffer.from(`${JSON.stringify({ level: WARN, time: Date.now(), msg })}\n`), this.#dropped);
    this.#dropped = 0;
  }

  #add(bytes: Buffer, records: number): void {
    this.#waiting.push({ bytes, records });
    this.#waitingBytes += bytes.length;
  }
}
