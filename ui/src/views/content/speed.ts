/** The speed of a transfer over its last seconds. Pure. */

const WINDOW_MS = 5000;
/** What is reported more often than this is not kept, which bounds how much is. */
const STEP_MS = 100;
/** Before that, a speed would be a guess. */
const LEAST_MS = 500;

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

export class Speed {
  #samples: readonly Sample[] = [];

  /**
   * @param bytes sent since the beginning
   * @param atMs time of any clock that only goes forward
   */
  add(bytes: number, atMs: number): void {
    const kept = this.#samples.filter((one) => atMs - one.atMs <= WINDOW_MS);
    const before = kept.at(-2);
    if (before && atMs - before.atMs < STEP_MS) kept.pop();
    this.#samples = [...kept, { atMs, bytes }];
  }

  /** Bytes in a second; undefined while it is not known. */
  get perSecond(): number | undefined {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (!first || !last || last.atMs - first.atMs < LEAST_MS) return undefined;
    return ((last.bytes - first.bytes) * 1000) / (last.atMs - first.atMs);
  }
}
