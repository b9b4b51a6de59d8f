/** Runs one task at a time, in order. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Number of running and waiting tasks. The caller limits it. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Runs `work` after the tasks before it and settles like it. A failure does not stop later tasks. */
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
