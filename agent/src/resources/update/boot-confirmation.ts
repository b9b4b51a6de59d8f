import { Backoff } from '../../base/backoff.ts';
import { errorMessage } from '../../base/system-error.ts';
import { sleep } from '../../base/timeout.ts';

/** What the confirmation needs of the slots. */
export interface BootedSlot {
  /**
   * Stores how an earlier trial ended that the booted slot is the fallback of. If that cannot be stored now, `confirm`
   * tries again.
   * @returns the booted slot; undefined on a system without slots
   * @throws Error while the update service does not answer; call again
   */
  settleEarlierTrial(): Promise<string | undefined>;
  /** Every check has passed: marks the booted slot good and ends its trial. */
  confirm(): Promise<void>;
}

/** One condition for a boot to count as good. */
export interface HealthCheck {
  name: string;
  /** Resolves when the check passes; rejects when it fails, and is then called again. */
  pass(): Promise<unknown>;
}

export interface BootConfirmationOptions {
  slots: BootedSlot;
  checks: readonly HealthCheck[];
  /** Gets what is waited for and why, for others than the agent: a boot that is never confirmed is given up. */
  note(waitsFor: string): Promise<void>;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

interface Step {
  name: string;
  reason?: string;
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
  /** The present step and the message of its last failure. Undefined: confirmed, not started, or without slots. */
  #step: Step | undefined;
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

  /** A boot that is not confirmed in time, as sentences for `health`. */
  problems(): string[] {
    if (!this.#step || performance.now() - this.#startedAt < PROBLEM_AFTER_MS) return [];
    return [
      `This boot is not confirmed: it waits for ${textOf(this.#step)}. After three such boots in a row the other slot is tried.`,
    ];
  }

  async #confirm(): Promise<void> {
    const { slots, checks, log } = this.#options;
    const slot = await this.#untilDone('slot status', () => slots.settleEarlierTrial());
    if (!slot) return; // stopped, or a system without slots
    for (const check of checks) await this.#untilDone(check.name, () => check.pass());
    await this.#untilDone('mark good', () => slots.confirm());
    if (!this.#stopping.signal.aborted) log.info({ slot }, 'the slot is marked good');
  }

  /** Repeats a step with growing delays until it succeeds. Does nothing after `stop`. */
  async #untilDone<T>(name: string, run: () => Promise<T>): Promise<T | undefined> {
    const { log } = this.#options;
    const { signal } = this.#stopping;
    const backoff = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
    await this.#setStep({ name });
    while (!signal.aborted) {
      try {
        const result = await run();
        this.#step = undefined;
        return result;
      } catch (error) {
        const delay = backoff.next();
        const reason = errorMessage(error).slice(0, MAX_REASON);
        await this.#setStep({ name, reason });
        log.warn({ err: error, check: name, delay }, 'this boot cannot be confirmed yet');
        await sleep(delay, signal);
      }
    }
    return undefined;
  }

  async #setStep(step: Step): Promise<void> {
    this.#step = step;
    const { note, log } = this.#options;
    await note(textOf(step)).catch((error: unknown) =>
      log.warn({ err: error }, 'what the boot waits for could not be noted'),
    );
  }
}

function textOf({ name, reason }: Step): string {
  return `"${name}"${reason === undefined ? '' : ` (${reason})`}`;
}
