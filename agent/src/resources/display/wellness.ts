/** Counts failures in a row. They are forgotten when the page has been well for long enough. */
export class Wellness {
  readonly #wellMs: number;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param wellMs a page that lives so long after its load is well again, in ms */
  constructor(wellMs: number) {
    this.#wellMs = wellMs;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Whether the time until the page counts as well is running, or is over. */
  get awaited(): boolean {
    return this.#timer !== undefined;
  }

  failed(): void {
    this.doubt();
    this.#failures += 1;
  }

  /** The page is there: from now on it is to live. */
  up(): void {
    this.doubt();
    this.#timer = setTimeout(() => {
      this.#failures = 0;
    }, this.#wellMs);
    this.#timer.unref();
  }

  /** Something may be wrong: not well yet. */
  doubt(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** What went wrong before does not count any more. */
  forget(): void {
    this.doubt();
    this.#failures = 0;
  }
}
