/**
 * Keeps the agent running when a callback throws: of a timer, of an emitter (also an `error` event without a listener),
 * or a promise that nobody awaits (docs/decisions/0024-callbacks-that-throw.md).
 */
import { limitedLog, type Records } from './limited-log.ts';
import type { Logger } from './logger.ts';

/** How long health reports them after the last one, in ms. */
const REPORTED_MS = 24 * 60 * 60_000;

export class UnexpectedErrors {
  readonly #log: Records;
  #count = 0;
  #lastAt = 0;

  constructor(log: Pick<Logger, keyof Records>) {
    this.#log = limitedLog(log);
  }

  /** From now on, no callback ends the process. */
  start(): void {
    process.on('uncaughtException', this.#take);
  }

  stop(): void {
    process.off('uncaughtException', this.#take);
  }

  /** Warnings for the operator, as sentences. */
  problems(): string[] {
    if (this.#count === 0 || performance.now() - this.#lastAt > REPORTED_MS) return [];
    const times = this.#count === 1 ? 'once' : `${this.#count} times`;
    return [
      `A part of the agent failed unexpectedly, ${times} since its start; the log says where. If something does not ` +
        'work, restart the device.',
    ];
  }

  /** Also for rejections that nobody handles: Node passes them on as exceptions. */
  readonly #take = (error: unknown, origin: string): void => {
    this.#count += 1;
    this.#lastAt = performance.now();
    try {
      this.#log.error({ err: error, origin }, 'a callback failed');
    } catch {
      // An exception here would end the process. Health reports the failure.
    }
  };
}

/**
 * Reports an error as if a callback of its own had thrown it. For emitters: a listener that throws must end neither
 * what emits nor the listeners after it.
 */
export function throwLater(error: unknown): void {
  process.nextTick(() => {
    throw error;
  });
}
