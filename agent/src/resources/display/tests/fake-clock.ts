/** Time for simulations: it passes only in `advance`, which runs what has become due in order. */
export class FakeClock {
  now = 0;
  #last = 0;
  readonly #due = new Map<number, { at: number; run: () => void }>();

  /** @returns cancels it */
  after(ms: number, run: () => void): () => void {
    const id = ++this.#last;
    this.#due.set(id, { at: this.now + ms, run });
    return () => void this.#due.delete(id);
  }

  advance(ms: number): void {
    const end = this.now + ms;
    for (let next = this.#next(end); next; next = this.#next(end)) {
      const [id, { at, run }] = next;
      this.#due.delete(id);
      this.now = at;
      run();
    }
    this.now = end;
  }

  /** The first that is due until then; of two at the same time, the one that was added first. */
  #next(end: number): [number, { at: number; run: () => void }] | undefined {
    let first: [number, { at: number; run: () => void }] | undefined;
    for (const entry of this.#due) {
      if (entry[1].at <= end && (!first || entry[1].at < first[1].at)) first = entry;
    }
    return first;
  }
}
