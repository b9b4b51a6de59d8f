/** How much of something may happen: on average, and at once (a token bucket). */
export class Budget {
  readonly #perSecond: number;
  readonly #atOnce: number;
  readonly #now: () => number;
  #left: number;
  #countedAt: number;

  /** @param now the time in ms; for tests */
  constructor(perSecond: number, atOnce: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#atOnce = atOnce;
    this.#now = now;
    this.#left = atOnce;
    this.#countedAt = now();
  }

  /** Takes this much, even if it is not left. @returns how long to wait until nothing is owed, in ms */
  spend(amount: number): number {
    this.#refill();
    this.#left -= amount;
    return Math.max(0, (-this.#left * 1000) / this.#perSecond);
  }

  /** Takes 1 if it is left. */
  take(): boolean {
    this.#refill();
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  #refill(): void {
    const now = this.#now();
    this.#left = Math.min(this.#atOnce, this.#left + ((now - this.#countedAt) * this.#perSecond) / 1000);
    this.#countedAt = now;
  }
}
