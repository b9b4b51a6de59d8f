const NEWLINE = 0x0a;
/** Initial size of the buffer for an unfinished line, in bytes. */
const SMALL_BYTES = 4096;

/**
 * Splits a byte stream, which may arrive in pieces of any size, into lines. A line longer than the limit is dropped and
 * counted. Keeps at most one unfinished line and the last piece.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  /** Start of an unfinished line; `#kept` bytes are used. */
  #line = Buffer.allocUnsafeSlow(SMALL_BYTES);
  #kept = 0;
  #skipping = false;
  #overlong = 0;
  #piece: Buffer = Buffer.alloc(0);

  /** @param maxBytes longest line, in bytes, without its line feed */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Number of lines that were too long; each counts as soon as it exceeds the limit. */
  get overlong(): number {
    return this.#overlong;
  }

  /** Adds the next bytes. Read all lines with `next` before the next `push`. */
  push(piece: Buffer): void {
    this.#piece = piece;
  }

  /**
   * The next complete line without its line feed, or undefined when more bytes are needed. Its bytes are valid until
   * the next call.
   */
  next(): Buffer | undefined {
    this.#release();
    while (true) {
      const end = this.#piece.indexOf(NEWLINE);
      if (end < 0) {
        this.#keep(this.#piece);
        this.#piece = this.#piece.subarray(this.#piece.length);
        return undefined;
      }
      const line = this.#complete(this.#piece.subarray(0, end));
      this.#piece = this.#piece.subarray(end + 1);
      this.#kept = 0;
      this.#skipping = false;
      if (line) return line;
    }
  }

  /** Calls `onLine` for every line that this piece completes. */
  forEach(piece: Buffer, onLine: (line: Buffer) => void): void {
    this.push(piece);
    for (let line = this.next(); line; line = this.next()) onLine(line);
  }

  /** Returns the bytes after the last line read and resets the splitter. */
  rest(): Buffer {
    const rest = this.#piece;
    this.#piece = Buffer.alloc(0);
    this.#kept = 0;
    this.#skipping = false;
    return rest;
  }

  /** The complete line that ends with `tail`; undefined when it was too long. */
  #complete(tail: Buffer): Buffer | undefined {
    if (this.#skipping) return undefined;
    if (this.#kept === 0 && tail.length <= this.#maxBytes) return tail;
    this.#keep(tail);
    return this.#skipping ? undefined : this.#line.subarray(0, this.#kept);
  }

  #keep(part: Buffer): void {
    if (this.#skipping || part.length === 0) return;
    const length = this.#kept + part.length;
    if (length > this.#maxBytes) {
      this.#kept = 0;
      this.#skipping = true;
      this.#overlong += 1;
      return;
    }
    if (length > this.#line.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.min(Math.max(length, this.#line.length * 2), this.#maxBytes),
      );
      this.#line.copy(larger, 0, 0, this.#kept);
      this.#line = larger;
    }
    part.copy(this.#line, this.#kept);
    this.#kept = length;
  }

  /** Frees the memory of a long line that was read. */
  #release(): void {
    if (this.#kept === 0 && this.#line.length > SMALL_BYTES) this.#line = Buffer.allocUnsafeSlow(SMALL_BYTES);
  }
}
