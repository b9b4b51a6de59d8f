import type { Browser } from './ports.ts';

/** Longest reason that is shown; the script's own exceptions are part of it. */
const MAX_REASON = 300;

/** What the browser says about the proxy's PAC script, which it runs. */
export class PacScript {
  #reason: string | null = null;
  readonly stop: () => void;

  constructor(browser: Pick<Browser, 'on'>) {
    // A browser that connects says it again.
    this.stop = browser.on(['pac_failed', 'disconnected'], (event) => {
      this.#reason = event.event === 'pac_failed' ? event.reason : null;
    });
  }

  /** Warnings for the operator, as sentences. */
  problems(): string[] {
    if (this.#reason === null) return [];
    const reason = this.#reason.slice(0, MAX_REASON).toWellFormed();
    return [`The PAC script of the proxy gave no answer, and pages were loaded without a proxy: ${reason}.`];
  }
}
