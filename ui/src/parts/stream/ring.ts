/** The newest values of something that has no end. Pure. */

export interface RingOptions<T> {
  /** How many values are kept. */
  most: number;
  /** How much they may take together; the newest value is kept in any case. */
  mostSize: number;
  sizeOf: (value: T) => number;
}

/** Values with numbers, which increase by one. The oldest ones make room for new ones. */
export class Ring<T> {
  readonly #options: RingOptions<T>;
  /** The value with a number is at its remainder. */
  readonly #slots: (T | undefined)[] = [];
  #first = 0;
  #next = 0;
  #size = 0;

  constructor(options: RingOptions<T>) {
    this.#options = options;
  }

  /** Number of the oldest value; {@link next} if there is none. */
  get first(): number {
    return this.#first;
  }

  /** Number that the next value gets. */
  get next(): number {
    return this.#next;
  }

  push(value: T): void {
    const { most, mostSize, sizeOf } = this.#options;
    const size = sizeOf(value);
    while (this.#next - this.#first >= most) this.#removeFirst();
    while (this.#first < this.#next && this.#size + size > mostSize) this.#removeFirst();
    this.#slots[this.#next % most] = value;
    this.#next += 1;
    this.#size += size;
  }

  /** The value with a number; undefined if it is not kept. */
  at(number: number): T | undefined {
    if (number < this.#first || number >= this.#next) return undefined;
    return this.#slots[number % this.#options.most];
  }

  /** The values, the oldest first. @param from number of the first one */
  values(from = this.#first): T[] {
    const found: T[] = [];
    for (let number = Math.max(from, this.#first); number < this.#next; number += 1) {
      const value = this.at(number);
      if (value !== undefined) found.push(value);
    }
    return found;
  }

  /** Removes all values. Numbers go on. */
  clear(): void {
    while (this.#first < this.#next) this.#removeFirst();
  }

  #removeFirst(): void {
    const slot = this.#first % this.#options.most;
    const value = this.#slots[slot];
    this.#slots[slot] = undefined;
    this.#first += 1;
    if (value !== undefined) this.#size -= this.#options.sizeOf(value);
  }
}
