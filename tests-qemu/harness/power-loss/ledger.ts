/** The value of a key that does not exist. */
export const ABSENT = '(absent)';

interface Entry {
  /** The value that the device has confirmed. */
  confirmed: string;
  /** The value of a request that was not answered. */
  requested?: string;
}

/**
 * The values that a device must have stored, by key: the confirmed one, or that of a request which was pending when the
 * power was cut. Values are digests of contents. A key that was never written is {@link ABSENT}.
 */
export class Ledger {
  readonly #entries = new Map<string, Entry>();

  /** The current value, as confirmed or last found. */
  get(key: string): string {
    return this.#entries.get(key)?.confirmed ?? ABSENT;
  }

  /** The keys below `prefix` that have a value. */
  present(prefix: string): string[] {
    return [...this.#entries]
      .filter(([key, { confirmed }]) => key.startsWith(prefix) && confirmed !== ABSENT)
      .map(([key]) => key);
  }

  /** Records a request that sets `key` to `value`. Only one request per key may be pending. */
  request(key: string, value: string): void {
    const entry = this.#entries.get(key);
    if (entry?.requested !== undefined) throw new Error(`two requests for ${key} at once`);
    this.#entries.set(key, { confirmed: entry?.confirmed ?? ABSENT, requested: value });
  }

  /** Records that the device has confirmed the request for `key`. */
  confirm(key: string): void {
    const requested = this.#entries.get(key)?.requested;
    if (requested === undefined) throw new Error(`there is no request for ${key}`);
    this.#entries.set(key, { confirmed: requested });
  }

  /**
   * Compares with the values that the device has after a power cut. These are the expected ones from then on.
   * @returns one sentence for each key whose value is neither the confirmed nor the requested one
   */
  compare(found: ReadonlyMap<string, string>): string[] {
    const problems: string[] = [];
    for (const key of new Set([...this.#entries.keys(), ...found.keys()])) {
      const { confirmed = ABSENT, requested } = this.#entries.get(key) ?? {};
      const value = found.get(key) ?? ABSENT;
      if (value !== confirmed && value !== requested) {
        const underWay = requested === undefined ? '' : `, requested was ${requested}`;
        problems.push(`${key} is ${value}; confirmed was ${confirmed}${underWay}`);
      }
      this.#entries.set(key, { confirmed: value });
    }
    return problems;
  }
}
