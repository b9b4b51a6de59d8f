import type { Browser } from './ports.ts';

export interface HeartbeatTiming {
  pingEveryMs: number;
  /** How long the page's main thread may take to answer, in ms. */
  pongMs: number;
  /** Answers missed in a row until the page counts as hanging. */
  misses: number;
}

export interface HeartbeatReport {
  answered(): void;
  /** An answer did not come in time. */
  missed(): void;
  /** So many did not come that nobody should wait any longer. */
  hangs(): void;
}

/**
 * Asks the page again and again whether it still answers: WebKit itself notices a page that died, not one that
 * hangs. One question at a time.
 */
export class Heartbeat {
  readonly #browser: Browser;
  readonly #timing: HeartbeatTiming;
  readonly #report: HeartbeatReport;
  #timer: NodeJS.Timeout | undefined;
  #missed = 0;
  #generation = 0;

  constructor(browser: Browser, timing: HeartbeatTiming, report: HeartbeatReport) {
    this.#browser = browser;
    this.#timing = timing;
    this.#report = report;
  }

  start(): void {
    this.stop();
    this.#missed = 0;
    this.#plan(this.#generation);
  }

  stop(): void {
    this.#generation += 1;
    clearTimeout(this.#timer);
  }

  #plan(generation: number): void {
    this.#timer = setTimeout(() => void this.#ask(generation), this.#timing.pingEveryMs);
    this.#timer.unref();
  }

  async #ask(generation: number): Promise<void> {
    const answered = await this.#browser.ping(this.#timing.pongMs);
    if (generation !== this.#generation) return;
    this.#missed = answered ? 0 : this.#missed + 1;
    if (answered) this.#report.answered();
    else this.#report.missed();
    if (this.#missed >= this.#timing.misses) {
      this.#missed = 0;
      this.#report.hangs();
    }
    if (generation === this.#generation) this.#plan(generation);
  }
}
