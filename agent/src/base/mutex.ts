/** Runs one piece of work at a time, in the order in which they were given. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** How many pieces of work run or wait. The caller bounds it. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Settles as `work` does. A failure does not keep the next one from running. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    this.#waiting += 1;
    const result = this.#last.then(work);
    this.#last = result.then(ignore, ignore);
    try {
      return await result;
    } finally {
      this.#waiting -= 1;
    }
  }
}

function ignore(): void {}
