import { Budget } from '../../base/budget.ts';
import type { ConsoleMessage, PageConsoleSource } from '../../resources/page/ports.ts';

/** What arrives for hosts: a message costs 1, and 1 more for each KiB. An honest browser sends half of it. */
const PER_SECOND = 40;
const AT_ONCE = 400;
const UNIT = 1024;

type Listener = Parameters<PageConsoleSource['followConsole']>[0];

export interface PageConsoleOptions {
  /** Tells the browser whether messages are wanted. */
  send: (enabled: boolean) => Promise<unknown>;
  /** The time in ms; for tests. */
  now?: () => number;
}

/** The page's console, collected while somebody listens. */
export class PageConsole {
  readonly #options: PageConsoleOptions;
  readonly #budget: Budget;
  #listener: Listener | undefined;
  #leftOut = 0;

  constructor(options: PageConsoleOptions) {
    this.#options = options;
    this.#budget = new Budget(PER_SECOND, AT_ONCE, options.now);
  }

  /** Calls the one listener until the returned function is called. */
  readonly follow = (listener: Listener): (() => void) => {
    this.#listener = listener;
    this.#leftOut = 0;
    this.#send(true);
    return () => {
      this.#listener = undefined;
      this.#send(false);
    };
  };

  /** A browser has connected: it does not know what the one before was told. */
  connected(): void {
    if (this.#listener) this.#send(true);
  }

  take({ level, text, source, line, left_out }: ConsoleMessage): void {
    const listener = this.#listener;
    if (!listener) return;
    const omitted = Math.min(this.#leftOut + left_out, Number.MAX_SAFE_INTEGER);
    if (this.#budget.spend(0) > 0) {
      this.#leftOut = Math.min(omitted + 1, Number.MAX_SAFE_INTEGER);
      return;
    }
    this.#budget.spend(1 + (text.length + (source?.length ?? 0)) / UNIT);
    this.#leftOut = 0;
    listener({
      level,
      text: text.toWellFormed(),
      source: source?.toWellFormed() ?? null,
      line,
      left_out: omitted,
    });
  }

  /** Without a browser there is nothing to tell; the next one is told when it connects. */
  #send(enabled: boolean): void {
    this.#options.send(enabled).catch(() => undefined);
  }
}
