import { errorCode } from '../../base/system-error.ts';
import { withTimeout } from '../../base/timeout.ts';
import { ApiError } from '../../contract/errors.ts';
import { atMost } from '../at-most.ts';
import { type FailureErrors, pageError } from '../page/failures.ts';
import { visibleError } from './keeper-machine.ts';
import type { KeeperState } from './keeper-state.ts';
import type { Browser } from './ports.ts';
import { scriptError, scriptTimeout } from './schema.ts';
import { prepareScript } from './script-source.ts';

/** As many as the browser runs at a time (browser/PROTOCOL.md). */
const MAX_RUNNING = 8;
const MAX_WAITING = 32;

const PAGE_LEFT = 'The page was left before the script ended.';
const ERRORS: FailureErrors = {
  timeout: [scriptTimeout, 'The script did not end in time; it may still be running.'],
  busy: ['too_many_requests', 'The page runs too many scripts.'],
  too_large: [scriptError, 'The result has more than 4 MiB of JSON.'],
  interrupted: ['conflict', PAGE_LEFT],
  disconnected: ['conflict', PAGE_LEFT],
  no_page: ['conflict', PAGE_LEFT],
};

export interface ScriptsOptions {
  browser: Pick<Browser, 'evaluate' | 'on'>;
  keeperState: () => Readonly<KeeperState>;
  /** How long a script may run, in ms (`browser.script_timeout_ms`). */
  timeoutMs: () => number;
}

/** Runs the host's scripts in the displayed page. */
export class Scripts {
  readonly #options: ScriptsOptions;
  readonly #limit = atMost(MAX_RUNNING + MAX_WAITING, 'scripts');
  /** Counts the documents that have been on the screen. */
  #documents = 0;
  #running = 0;
  #waitingForTurn: (() => void)[] = [];
  #change = Promise.withResolvers<void>();
  readonly #stopListening: () => void;

  constructor(options: ScriptsOptions) {
    this.#options = options;
    this.#stopListening = options.browser.on(['load', 'page_gone', 'disconnected'], (event) => {
      if (event.event !== 'load' || event.state === 'committed') this.#documents += 1;
    });
  }

  stop(): void {
    this.#stopListening();
  }

  /** The keeper's state may have changed. */
  changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  /**
   * @returns the script's value
   * @throws ApiError `script_error`, `script_timeout`, `conflict` when the page is left first or is not on the screen,
   * `too_many_requests`
   */
  run(script: string): Promise<unknown> {
    const { body, locate } = prepareScript(script);
    return this.#limit(async () => {
      const end = performance.now() + this.#options.timeoutMs();
      const document = await this.#arrival(end);
      const result = await this.#inTurn(end, () => {
        if (document !== this.#documents) throw new ApiError('conflict', PAGE_LEFT);
        return this.#options.browser.evaluate(body, this.#options.timeoutMs());
      });
      if ('value' in result) return result.value;
      const exception = locate(result.exception);
      throw new ApiError(scriptError, exception.message, { ...exception });
    });
  }

  /** Waits for the target's document, if it is on its way. @returns its number */
  async #arrival(end: number): Promise<number> {
    const { target } = this.#options.keeperState();
    for (;;) {
      const state = this.#options.keeperState();
      if (state.target !== target) throw new ApiError('conflict', PAGE_LEFT);
      if (state.load.stage === 'committed' && !state.ending) return this.#documents;
      if (!state.loading) {
        const reason = visibleError(state)?.message ?? '';
        throw new ApiError('conflict', `The page is not on the screen. ${reason}`.trimEnd());
      }
      await waitUntil(end, this.#change.promise, 'The page is still loading.');
    }
  }

  /** Runs `work` when fewer than MAX_RUNNING others are running. */
  async #inTurn<T>(end: number, work: () => Promise<T>): Promise<T> {
    if (this.#running >= MAX_RUNNING) await this.#turn(end);
    else this.#running += 1;
    try {
      return await work();
    } catch (error) {
      // The browser tells this before the next document: those that wait must not run there.
      if (errorCode(error) === 'interrupted') this.#documents += 1;
      throw pageError(ERRORS, error);
    } finally {
      const next = this.#waitingForTurn.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** Waits until a running script gives its turn to this one. */
  async #turn(end: number): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waitingForTurn.push(turn.resolve);
    try {
      await waitUntil(end, turn.promise, 'The scripts before this one are still running.');
    } catch (error) {
      this.#waitingForTurn = this.#waitingForTurn.filter((each) => each !== turn.resolve);
      throw error;
    }
  }
}

/** @throws ApiError `script_timeout` with the reason */
function waitUntil(end: number, event: Promise<void>, reason: string): Promise<void> {
  const late = () => new ApiError(scriptTimeout, reason);
  return withTimeout(event, Math.max(end - performance.now(), 0), late);
}
