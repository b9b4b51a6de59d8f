import type { Browser, DisplayLog, Kiosk } from './ports.ts';
import type { Stage } from './recovery.ts';

/** How seldom the unit of a browser that stays away is restarted at last: so many times the first delay. */
const MOST_PATIENCE = 16;

export interface BrowserUnitOptions {
  browser: Browser;
  kiosk: Kiosk;
  log: DisplayLog;
  /** How long the browser may be away before its unit is restarted, in ms; doubles. */
  awayMs: number;
}

/** The process of the browser and the unit that runs it, as far as they are ended and started anew. */
export class BrowserUnit {
  readonly #o: BrowserUnitOptions;
  #ending = false;
  #away: NodeJS.Timeout | undefined;

  constructor(options: BrowserUnitOptions) {
    this.#o = options;
  }

  /** A browser that goes now goes because we ended it. */
  get ending(): boolean {
    return this.#ending;
  }

  /** There is a browser again. */
  arrived(): void {
    clearTimeout(this.#away);
    this.#ending = false;
  }

  /** The unit starts the browser anew by itself; when none comes, the whole unit is restarted. */
  watch(delayMs = this.#o.awayMs): void {
    clearTimeout(this.#away);
    if (!this.#o.kiosk.installed) return;
    this.#away = setTimeout(() => {
      this.#o.log.warn({ after_ms: delayMs }, 'no browser comes; restarting its unit');
      void this.restart('compositor');
      this.watch(Math.min(delayMs * 2, this.#o.awayMs * MOST_PATIENCE));
    }, delayMs);
    this.#away.unref();
  }

  stop(): void {
    clearTimeout(this.#away);
  }

  /**
   * Ends the browser, or the compositor with it; they are started anew by themselves. Never rejects.
   * @returns false when that does not work: what runs goes on running
   */
  async restart(stage: Exclude<Stage, 'page'>): Promise<boolean> {
    const { browser, kiosk, log } = this.#o;
    this.#ending = true;
    if (stage === 'browser' && browser.connected) {
      try {
        await browser.quit();
        return true;
      } catch (error) {
        if (!browser.connected) return true; // it went before it could say so
        log.warn({ err: error }, 'the browser does not quit');
      }
    }
    try {
      await kiosk.restart();
      if (kiosk.installed) return true;
    } catch (error) {
      log.warn({ err: error }, "the browser's unit could not be restarted");
    }
    this.#ending = false;
    return false;
  }
}
