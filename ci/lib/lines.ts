/** Gives the lines of a byte stream, without their ends ("\n" or "\r\n"), and holds a bounded rest. */
export class LineSplitter {
  readonly #limit: number;
  #rest: Buffer[] = [];
  #size = 0;

  /** @param limit most bytes that one line may have */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The lines that `chunk` completes. Throws when a line passes the limit; what was held is dropped then. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      lines.push(this.#take(chunk.subarray(start, end)).toString().replace(/\r$/, ''));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (rest.length > 0) {
      this.#grow(rest.length);
      this.#rest.push(rest);
    }
    return lines;
  }

  #take(end: Buffer): Buffer {
    this.#grow(end.length);
    const line = Buffer.concat([...this.#rest, end]);
    this.#rest = [];
    this.#size = 0;
    return line;
  }

  #grow(bytes: number): void {
    this.#size += bytes;
    if (this.#size > this.#limit) {
      const size = this.#size;
      this.#rest = [];
      this.#size = 0;
      throw new Error(`a line of ${size} bytes or more; ${this.#limit} are taken`);
    }
  }
}
