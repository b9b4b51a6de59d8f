/** How the boot slots stand. */
export interface SlotReport {
  booted: 'a' | 'b';
  /** Slots that the boot loader gave up on, or that were marked so. */
  bad: readonly ('a' | 'b')[];
}

/** The update service's view of the boot slots. */
export interface BootSlots {
  /** Undefined where there is no update service: a system without slots. */
  read(): Promise<SlotReport | undefined>;
  /** Gives the slot that runs all its attempts again. */
  markGood(): Promise<void>;
}

/** One sign that this boot works. */
export interface Sign {
  name: string;
  /** Resolves when it is there; rejects when it is not, and is then asked again. */
  shown(): Promise<unknown>;
}

export interface BootConfirmationOptions {
  slots: BootSlots;
  signs: readonly Sign[];
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
  /** First and longest pause before a sign is asked for again, in ms; for tests. */
  retryMs?: { first: number; last: number };
  /** After this time a boot that is not confirmed is a problem, in ms; for tests. */
  problemAfterMs?: number;
}

/** Longer than a device takes that has no screen, or a slow one. */
const PROBLEM_AFTER_MS = 240_000;
/** Of an error's message, what `health` tells at most, in characters. */
const MAX_REASON = 200;

/** What a boot that is not confirmed waits for. */
interface Waiting {
  name: string;
  /** Why it was not there when it was asked for the last time. */
  reason?: string;
}

/**
 * Tells the boot loader that the slot that runs is good, once every sign was there: the boot script uses up
 * an attempt at every start and turns to the other slot when none is left. Until then a reset counts against
 * this slot, as it should.
 */
export class BootConfirmation {
  readonly #options: BootConfirmationOptions;
  readonly #stopping = new AbortController();
  #rollback: string | undefined;
  /** Undefined: confirmed, not begun, or a system without slots. */
  #waiting: Waiting | undefined;
  #since = 0;

  constructor(options: BootConfirmationOptions) {
    this.#options = options;
  }

  /** Waits for the signs in the background, one after the other. */
  start(): void {
    void this.#confirm();
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** A rollback, and a boot that is not confirmed in time, as sentences for `health`. */
  problems(): string[] {
    const { problemAfterMs = PROBLEM_AFTER_MS } = this.#options;
    const isLate = performance.now() - this.#since >= problemAfterMs;
    const late = this.#waiting && isLate ? unconfirmed(this.#waiting) : undefined;
    return [this.#rollback, late].filter((problem) => problem !== undefined);
  }

  async #confirm(): Promise<void> {
    const { slots, signs, log } = this.#options;
    this.#since = performance.now();
    const report = await this.#untilItWorks('slot status', () => slots.read());
    if (!report) return; // stopped, or a system without slots
    const other = report.booted === 'a' ? 'b' : 'a';
    if (report.bad.includes(other)) {
      this.#rollback = `Slot ${other} does not start or was marked bad; the device runs from slot ${report.booted}.`;
      log.warn({ booted: report.booted, bad: other }, 'the other slot is bad: this may be a rollback');
    }
    for (const { name, shown } of signs) {
      await this.#untilItWorks(name, shown);
      if (this.#stopping.signal.aborted) return;
    }
    await this.#untilItWorks('mark good', () => slots.markGood());
    if (!this.#stopping.signal.aborted) log.info({ slot: report.booted }, 'the slot is marked good');
  }

  /** Asks with growing pauses until it succeeds; undefined when stopped. Meanwhile it is what the boot waits for. */
  async #untilItWorks<T>(name: string, ask: () => Promise<T>): Promise<T | undefined> {
    const { log, retryMs = { first: 1000, last: 60_000 } } = this.#options;
    const { signal } = this.#stopping;
    const waiting: Waiting = { name };
    this.#waiting = waiting;
    for (let pause = retryMs.first; !signal.aborted; pause = Math.min(pause * 2, retryMs.last)) {
      try {
        const answer = await this.#orStopped(ask());
        this.#waiting = undefined;
        return answer;
      } catch (error) {
        waiting.reason = (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON);
        log.warn({ err: error, sign: name, pause }, 'this boot cannot be confirmed yet');
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, pause);
      timer.unref();
      await this.#orStopped(promise);
      clearTimeout(timer);
    }
    return undefined;
  }

  /** Settles as `work` does; undefined when stopped before. Leaves nothing behind: a slot may stay unconfirmed for weeks. */
  async #orStopped<T>(work: Promise<T>): Promise<T | undefined> {
    const { signal } = this.#stopping;
    const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
    const stop = () => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await Promise.race([work, stopped]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

function unconfirmed({ name, reason }: Waiting): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  return `This boot is not confirmed: it waits for "${name}"${why}. After three such boots in a row the other slot is tried.`;
}
