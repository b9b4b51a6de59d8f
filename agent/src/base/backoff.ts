/** Delays that double from the first to the last, for trying again. */
export class Backoff {
  readonly #firstMs: number;
  readonly #lastMs: number;
  #nextMs: number;

  /** Both in milliseconds. */
  constructor(firstMs: number, lastMs: number) {
    this.#firstMs = firstMs;
    this.#lastMs = lastMs;
    this.#nextMs = firstMs;
  }

  /** How long to wait before the next try, in milliseconds. */
  next(): number {
    const delay = this.#nextMs;
    this.#nextMs = Math.min(delay * 2, this.#lastMs);
    return delay;
  }

  /** After a success: the next delay is the first one again. */
  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}
