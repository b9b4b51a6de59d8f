import type { Logger } from '../../base/logger.ts';
import { withTimeout } from '../../base/timeout.ts';
import { ApiError, storageError } from '../../contract/errors.ts';
import type { DisplayPorts } from './ports.ts';

export interface DataClearingOptions extends Pick<DisplayPorts, 'browser' | 'browserData'> {
  log: Pick<Logger, 'info' | 'warn'>;
  /** How long a new browser may take to connect, in ms. */
  timeoutMs: number;
}

/**
 * Deletes the browser's data between two browser processes: a new one opens its files only when it gets its settings.
 * So this needs neither a browser that responds nor free space.
 */
export class DataClearing {
  readonly #options: DataClearingOptions;
  /** A clearing that waits for the next browser. */
  #pending: { oldPid: number | null; done: PromiseWithResolvers<void> } | undefined;
  /** The last deletion. */
  #clearing: Promise<void> | undefined;

  constructor(options: DataClearingOptions) {
    this.#options = options;
  }

  /** Before the first browser of a boot gets its settings. A failure is logged: the screen matters more. */
  async clearAtBoot(): Promise<void> {
    const { browserData, log } = this.#options;
    try {
      await browserData?.clear();
      log.info({}, "the browser's data was cleared at boot");
    } catch (error) {
      log.warn({ err: error }, "the browser's data could not be cleared at boot");
    }
  }

  /**
   * Resolves when everything is deleted. Concurrent calls share one restart.
   * @param restart ends the browser, so that another one connects
   * @throws ApiError `unavailable` where there is no data of ours, the data partition cannot be written, or no new
   * browser connects in time; nothing is deleted later then
   */
  async clear(restart: () => void): Promise<void> {
    const { browser, browserData, timeoutMs } = this.#options;
    if (!browserData) throw new ApiError('unavailable', "The browser's data does not belong to this device.");
    if (this.#pending) return this.#pending.done.promise;
    const pending = { oldPid: browser.pid, done: Promise.withResolvers<void>() };
    this.#pending = pending;
    restart();
    try {
      await withTimeout(pending.done.promise, timeoutMs, () => {
        const error = new ApiError('unavailable', 'No new browser connected in time.');
        pending.done.reject(error); // for concurrent calls
        return error;
      });
    } finally {
      if (this.#pending === pending) this.#pending = undefined;
    }
  }

  /** A browser has connected and has no settings yet. Resolves when it may get them; never rejects. */
  async browserConnected(): Promise<void> {
    const { browser, browserData } = this.#options;
    const pending = this.#pending;
    // The old browser, connected again, still has its files open.
    if (pending && (pending.oldPid === null || pending.oldPid !== browser.pid)) {
      this.#pending = undefined;
      this.#clearing = browserData?.clear().then(pending.done.resolve, (error: unknown) => {
        pending.done.reject(storageError(error));
      });
    }
    await this.#clearing; // also that of a browser which has ended since
  }
}
