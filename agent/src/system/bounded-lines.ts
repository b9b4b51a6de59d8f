/**
 * Cuts a byte stream into lines. Holds one unfinished line of at most `maxBytes`; after a longer one it has
 * overflowed and gives nothing more.
 */
export class BoundedLines {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #held = 0;
  #overflowed = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** @returns the lines that this chunk finishes, without their line feeds; empty ones are left out */
  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    while (!this.#overflowed) {
      const end = chunk.indexOf(0x0a, start);
      const part = chunk.subarray(start, end < 0 ? chunk.length : end);
      this.#held += part.length;
      if (this.#held > this.#maxBytes) {
        this.#overflowed = true;
        this.#parts = [];
        break;
      }
      if (part.length > 0) this.#parts.push(part);
      if (end < 0) break;
      if (this.#held > 0) lines.push(Buffer.concat(this.#parts));
      this.#parts = [];
      this.#held = 0;
      start = end + 1;
    }
    return lines;
  }
}
