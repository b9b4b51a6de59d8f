import { Backoff } from '../../base/backoff.ts';
import { errorMessage } from '../../base/system-error.ts';
import { sleep } from '../../base/timeout.ts';

type SlotName = 'a' | 'b';

/** State of the boot slots. */
export interface SlotReport {
  booted: SlotName;
  /** Slots without boot attempts left, or marked bad. */
  bad: readonly SlotName[];
}

/** The update service's view of the boot slots. */
export interface BootSlots {
  /** Undefined on a system without slots. */
  read(): Promise<SlotReport | undefined>;
  /** Restores the boot attempts of the booted slot. */
  markGood(): Promise<void>;
}

/** One condition for a boot to count as good. */
export interface HealthCheck {
  name: string;
  /** Resolves when the check passes; rejects when it fails, and is then called again. */
  pass(): Promise<unknown>;
}

export interface BootConfirmationOptions {
  slots: BootSlots;
  checks: readonly HealthCheck[];
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

/** First and longest delay before a failed step is repeated, in ms. */
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;
/** Longer than a slow device, or one without a screen, takes to boot, in ms. */
const PROBLEM_AFTER_MS = 240_000;
/** Longest part of an error's message in `health`, in characters. */
const MAX_REASON = 200;

/**
 * Marks the booted slot good once every health check has passed. The boot script uses up an attempt at every boot and
 * switches to the other slot when none is left, so until then a reset counts against this slot.
 */
export class BootConfirmation {
  readonly #options: BootConfirmationOptions;
  readonly #stopping = new AbortController();
  #rollback: string | undefined;
  /** The present step and the message of its last failure. Undefined: confirmed, not started, or without slots. */
  #step: { name: string; reason?: string } | undefined;
  #startedAt = 0;

  constructor(options: BootConfirmationOptions) {
    this.#options = options;
  }

  /** Runs the checks in the background, one after the other. */
  start(): void {
    this.#startedAt = performance.now();
    void this.#confirm();
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** A rollback, and a boot that is not confirmed in time, as sentences for `health`. */
  problems(): string[] {
    const problems = this.#rollback === undefined ? [] : [this.#rollback];
    if (this.#step && performance.now() - this.#startedAt >= PROBLEM_AFTER_MS) {
      const { name, reason } = this.#step;
      const why = reason === undefined ? '' : ` (${reason})`;
      problems.push(
        `This boot is not confirmed: it waits for "${name}"${why}. After three such boots in a row the other slot is tried.`,
      );
    }
    return problems;
  }

  async #confirm(): Promise<void> {
    const { slots, checks, log } = this.#options;
    const report = await this.#untilDone('slot status', () => slots.read());
    if (!report) return; // stopped, or a system without slots
    const other = report.booted === 'a' ? 'b' : 'a';
    if (report.bad.includes(other)) {
      this.#rollback = `Slot ${other} does not start or was marked bad; the device runs from slot ${report.booted}.`;
      log.warn({ booted: report.booted, bad: other }, 'the other slot is bad: this may be a rollback');
    }
    for (const check of checks) await this.#untilDone(check.name, () => check.pass());
    await this.#untilDone('mark good', () => slots.markGood());
    if (!this.#stopping.signal.aborted) log.info({ slot: report.booted }, 'the slot is marked good');
  }

  /** Repeats a step with growing delays until it succeeds. Does nothing after `stop`. */
  async #untilDone<T>(name: string, run: () => Promise<T>): Promise<T | undefined> {
    const { log } = this.#options;
    const { signal } = this.#stopping;
    const backoff = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
    this.#step = { name };
    while (!signal.aborted) {
      try {
        const result = await run();
        this.#step = undefined;
        return result;
      } catch (error) {
        const delay = backoff.next();
        const reason = errorMessage(error).slice(0, MAX_REASON);
        this.#step = { name, reason };
        log.warn({ err: error, check: name, delay }, 'this boot cannot be confirmed yet');
        await sleep(delay, signal);
      }
    }
    return undefined;
  }
}
