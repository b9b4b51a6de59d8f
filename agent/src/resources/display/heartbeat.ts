import type { Browser } from './ports.ts';

export interface HeartbeatTiming {
  pingEveryMs: number;
  /** How long the page's main thread may take to answer, in ms. */
  pongMs: number;
  /** Answers missed in a row until the page counts as hanging. */
  misses: number;
}

/**
 * Asks the page again and again whether it still answers: WebKit itself notices a page that died, not one that
 * hangs. One question at a time.
 */
export class Heartbeat {
  readonly #browser: Browser;
  readonly #timing: HeartbeatTiming;
  readonly #hangs: () => void;
  #timer: NodeJS.Timeout | undefined;
  #missed = 0;
  #generation = 0;

  constructor(browser: Browser, timing: HeartbeatTiming, hangs: () => void) {
    this.#browser = browser;
    this.#timing = timing;
    this.#hangs = hangs;
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
    if (this.#missed >= this.#timing.misses) {
      this.#missed = 0;
      this.#hangs();
    }
    if (generation === this.#generation) this.#plan(generation);
  }
}
