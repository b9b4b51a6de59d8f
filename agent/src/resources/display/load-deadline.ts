export interface LoadTiming {
  /** From when a page is asked for until the browser has begun with it, in ms. */
  beginMs: number;
  /** From then until its document is there, in ms. */
  documentMs: number;
  /** From then until everything else of it is there, in ms. */
  completeMs: number;
}

/** No load lasts for ever: each of its steps has a time to be done in. */
export class LoadDeadline {
  readonly #timing: LoadTiming;
  readonly #missed: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param missed told once when the time is up */
  constructor(timing: LoadTiming, missed: () => void) {
    this.#timing = timing;
    this.#missed = missed;
  }

  /** Another load was asked for. */
  asked(): void {
    this.#set(this.#timing.beginMs);
  }

  /** The browser has begun with a load. */
  begun(): void {
    this.#set(this.#timing.documentMs);
  }

  /** The document is there, the rest of the page follows. */
  arrived(): void {
    this.#set(this.#timing.completeMs);
  }

  /** Nothing is loaded any more. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #set(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#missed, ms);
    this.#timer.unref();
  }
}
