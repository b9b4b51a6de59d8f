const NEWLINE = 0x0a;
/** Size of the buffer for an unfinished line when there has been no long one lately, in bytes. */
const SMALL_BYTES = 4096;

/**
 * Cuts a byte stream, which may arrive in pieces of any size, into lines. A line that is longer than the limit is
 * dropped up to its line feed and counted. Holds at most one unfinished line besides the last piece.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  /** The beginning of a line whose end has not arrived; used up to `#kept`. */
  #line = Buffer.allocUnsafeSlow(SMALL_BYTES);
  #kept = 0;
  #skipping = false;
  #overlong = 0;
  #piece: Buffer = Buffer.alloc(0);

  /** @param maxBytes longest line, in bytes, without its line feed */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** How many lines were too long so far; one counts as soon as it exceeds the limit. */
  get overlong(): number {
    return this.#overlong;
  }

  /** Gives the next bytes. Take every line with `next` before the next piece. */
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

  /** The bytes after the last line taken; the splitter starts again without them. */
  rest(): Buffer {
    const rest = this.#piece;
    this.#piece = Buffer.alloc(0);
    this.#kept = 0;
    this.#skipping = false;
    return rest;
  }

  /** The whole line that ends with `tail`; undefined when it was too long. */
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

  /** Gives back the memory of a long line that has been taken. */
  #release(): void {
    if (this.#kept === 0 && this.#line.length > SMALL_BYTES) this.#line = Buffer.allocUnsafeSlow(SMALL_BYTES);
  }
}
