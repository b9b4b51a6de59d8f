import { Utf8Stream } from 'node:fs';
import { pino } from 'pino';

export type Logger = import('pino').Logger;

const STDERR = 2;
/** Limit of buffered characters; beyond it records are dropped and counted. */
const MAX_BUFFERED = 256 * 1024;
/** How often the last records are tried again when the process exits, 100 ms apart. */
const LAST_RETRIES = 5;
/** Pino's log levels. */
const WARN = 40;
const FATAL = 60;
/** Makes pino set `lastLevel`. */
const METADATA: unique symbol = Symbol.for('pino.metadata');

/**
 * A destination for pino. When the reader stalls (journald, a full pipe) records are buffered, and beyond MAX_BUFFERED
 * they are dropped until the buffer is empty. A record with their number replaces them.
 */
class LogOutput {
  readonly [METADATA] = true;
  /** Set by pino before each `write`. */
  lastLevel = 0;
  readonly #stream: Utf8Stream;
  #dropped = 0;
  #exiting = 0;

  constructor() {
    // Opening this stream makes a pipe or socket non-blocking; Node makes it blocking again at exit.
    void process.stderr;
    this.#stream = new Utf8Stream({
      fd: STDERR,
      maxLength: MAX_BUFFERED,
      retryEAGAIN: () => this.#exiting === 0 || this.#exiting++ <= LAST_RETRIES,
    });
    this.#stream.on('drop', () => (this.#dropped += 1));
    this.#stream.on('drain', () => this.#writeDropped());
    // The reader is gone; the next record tries again.
    this.#stream.on('error', () => undefined);
    process.once('exit', () => this.flushSync());
  }

  /** @param line one record with its line feed */
  write(line: string): void {
    if (this.#dropped > 0 && this.lastLevel < FATAL) {
      this.#dropped += 1;
      return;
    }
    // Makes room for the last record.
    if (this.lastLevel >= FATAL) this.flushSync();
    this.#writeDropped();
    this.#stream.write(line);
  }

  /** Waits shortly for the reader; pino calls it after a fatal record. */
  flushSync(): void {
    this.#exiting = 1;
    try {
      this.#stream.flushSync();
    } catch {
      // Nobody reads.
    }
    this.#exiting = 0;
  }

  #writeDropped(): void {
    if (this.#dropped === 0) return;
    const msg = `${this.#dropped} records dropped: the log was not read`;
    this.#dropped = 0;
    this.#stream.write(`${JSON.stringify({ level: WARN, time: Date.now(), msg })}\n`);
  }
}

/** Shared by all loggers of the process. */
let output: LogOutput | undefined;

/**
 * The agent's log: JSON lines on standard error, which journald stores. Logging never waits for the reader.
 * Standard output is for the ready line only. Never log request bodies or secrets.
 */
export function createLogger(level: 'debug' | 'info' | 'warn' | 'error' | 'silent'): Logger {
  output ??= new LogOutput();
  return pino({ level, base: null }, output);
}
