/** The value of something that is not there. */
export const ABSENT = '(absent)';

interface Entry {
  /** What the device has confirmed. */
  confirmed: string;
  /** What was asked for and not answered. */
  asked?: string;
}

/**
 * What a device must remember, by key: what it has confirmed, or what was asked for when the power went. Values are
 * digests of contents. What was never written is {@link ABSENT}.
 */
export class Ledger {
  readonly #entries = new Map<string, Entry>();

  /** What is there now, as confirmed or last seen. */
  get(key: string): string {
    return this.#entries.get(key)?.confirmed ?? ABSENT;
  }

  /** The keys below `prefix` that have a value. */
  present(prefix: string): string[] {
    return [...this.#entries]
      .filter(([key, { confirmed }]) => key.startsWith(prefix) && confirmed !== ABSENT)
      .map(([key]) => key);
  }

  /** A request that makes `key` have `value` is on its way; one at a time for each key. */
  ask(key: string, value: string): void {
    const entry = this.#entries.get(key);
    if (entry?.asked !== undefined) throw new Error(`two requests for ${key} at once`);
    this.#entries.set(key, { confirmed: entry?.confirmed ?? ABSENT, asked: value });
  }

  /** The device has confirmed the request for `key`. */
  confirm(key: string): void {
    const asked = this.#entries.get(key)?.asked;
    if (asked === undefined) throw new Error(`there is no request for ${key}`);
    this.#entries.set(key, { confirmed: asked });
  }

  /**
   * Compares with what the device has after a power cut, which is what counts from now on.
   * @returns one sentence for each key that is neither as confirmed nor as asked for
   */
  compare(found: ReadonlyMap<string, string>): string[] {
    const problems: string[] = [];
    for (const key of new Set([...this.#entries.keys(), ...found.keys()])) {
      const { confirmed = ABSENT, asked } = this.#entries.get(key) ?? {};
      const value = found.get(key) ?? ABSENT;
      if (value !== confirmed && value !== asked) {
        const underWay = asked === undefined ? '' : `, asked for was ${asked}`;
        problems.push(`${key} is ${value}; confirmed was ${confirmed}${underWay}`);
      }
      this.#entries.set(key, { confirmed: value });
    }
    return problems;
  }
}
