/** A least-recently-used cache of buffers, bounded by their total size. */
export class ByteCache<Key> {
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #held = new Map<Key, Buffer>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Total size of the cached buffers. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: Key): Buffer | undefined {
    const bytes = this.#held.get(key);
    if (bytes === undefined) return undefined;
    this.#held.delete(key);
    this.#held.set(key, bytes);
    return bytes;
  }

  set(key: Key, bytes: Buffer): void {
    this.delete(key);
    this.#held.set(key, bytes);
    this.#bytes += bytes.length;
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const bytes = this.#held.get(key);
    if (bytes === undefined) return;
    this.#held.delete(key);
    this.#bytes -= bytes.length;
  }
}
