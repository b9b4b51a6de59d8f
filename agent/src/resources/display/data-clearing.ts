import { ApiError, storageError } from '../../contract/errors.ts';
import type { Browser, BrowserData, DisplayLog } from './ports.ts';

export interface DataClearingOptions {
  browser: Browser;
  /** Undefined where what the browser stores is not ours. */
  data: BrowserData | undefined;
  log: DisplayLog;
  /** How long a new browser may take to come, in ms. */
  limitMs: number;
}

/**
 * Takes away what the browser has stored, between two browsers: one that has been started and not yet configured has
 * opened nothing there. So it needs neither a browser that answers nor room on the disk.
 */
export class DataClearing {
  readonly #o: DataClearingOptions;
  #wanted: { before: number | null; done: PromiseWithResolvers<void> } | undefined;

  constructor(options: DataClearingOptions) {
    this.#o = options;
  }

  /** Before the first browser of a boot is configured. What does not work is logged: the screen matters more. */
  async atBoot(): Promise<void> {
    try {
      await this.#o.data?.clear();
      this.#o.log.info({}, 'what the browser had stored is cleared at boot');
    } catch (error) {
      this.#o.log.warn({ err: error }, 'what the browser has stored could not be cleared at boot');
    }
  }

  /**
   * Resolves when everything is gone.
   * @param restart ends the browser that runs; another one comes
   * @throws ApiError `unavailable` where there is nothing to clear, the data partition cannot be written, or no new
   * browser comes; nothing is cleared later then
   */
  async clear(restart: () => void): Promise<void> {
    const { browser, data, limitMs } = this.#o;
    if (!data) throw new ApiError('unavailable', 'What the browser stores is not kept by this device.');
    if (!this.#wanted) {
      const wanted = { before: browser.pid, done: Promise.withResolvers<void>() };
      this.#wanted = wanted;
      const late = setTimeout(() => {
        if (this.#wanted === wanted) this.#wanted = undefined;
        wanted.done.reject(new ApiError('unavailable', 'The browser was not started anew in time.'));
      }, limitMs);
      late.unref();
      wanted.done.promise.catch(() => undefined).finally(() => clearTimeout(late));
      restart();
    }
    await this.#wanted.done.promise;
  }

  /** A browser is there and not yet configured. Never rejects. */
  async browserCame(): Promise<void> {
    const { browser, data } = this.#o;
    const wanted = this.#wanted;
    // The one that was to end, connected anew, still has everything open.
    if (!wanted || (wanted.before !== null && wanted.before === browser.pid)) return;
    this.#wanted = undefined;
    await data
      ?.clear()
      .then(wanted.done.resolve, (error: unknown) => wanted.done.reject(storageError(error)));
  }
}
