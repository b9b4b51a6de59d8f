/** Retry delays that double from the first to the last. */
export class Backoff {
  readonly #firstMs: number;
  readonly #lastMs: number;
  #nextMs: number;

  /** Both delays in milliseconds. */
  constructor(firstMs: number, lastMs: number) {
    this.#firstMs = firstMs;
    this.#lastMs = lastMs;
    this.#nextMs = firstMs;
  }

  /** The delay before the next attempt, in milliseconds. */
  next(): number {
    const delay = this.#nextMs;
    this.#nextMs = Math.min(delay * 2, this.#lastMs);
    return delay;
  }

  /** Starts with the first delay again, after a success. */
  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}
