export interface LoadTiming {
  /** From when a page is asked for until its document is there, in ms. */
  documentMs: number;
  /** From then until everything else of it is there, in ms. */
  completeMs: number;
}

/** No load lasts for ever: bounds the time until a page's document is there, and the time until the rest is. */
export class LoadDeadline {
  readonly #timing: LoadTiming;
  readonly #missed: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param missed told once when the time is up */
  constructor(timing: LoadTiming, missed: () => void) {
    this.#timing = timing;
    this.#missed = missed;
  }

  /** A load begins, whatever was loaded before. */
  begin(): void {
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
