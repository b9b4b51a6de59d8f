/** NDJSON framing of the serial link: a pure transform of bytes (interface: Serial transport). */
import { isUtf8 } from 'node:buffer';

/** Longest line in bytes, without its end. Longer ones are ignored as they pass (interface: Limits). */
export const MAX_LINE_BYTES = 1024 * 1024;
/** What a framer keeps for half a line when there has been no long one lately. */
const SMALL_BYTES = 4096;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** A line of the host: an object, or why it is none. */
export type Frame =
  | {
      object: Readonly<Record<string, unknown>>;
      /** A number under `id`, as the line spells it: not every spelling outlives being read. */
      numericId?: string;
      bytes: number;
    }
  | { problem: string; bytes: number };

/**
 * Cuts a stream of bytes, which may arrive in pieces of any size, into frames. Whatever the bytes, it never throws
 * and holds at most one line of MAX_LINE_BYTES besides the piece that it was given last.
 */
export class Framer {
  /** The beginning of a line whose end has not come; used up to `#kept`. */
  #line = Buffer.allocUnsafeSlow(SMALL_BYTES);
  #kept = 0;
  /** The line is too long: it is thrown away up to its end. */
  #skipping = false;
  #piece: Buffer = Buffer.alloc(0);

  /** Gives the next bytes. Take every frame with `next` before the next piece. */
  push(piece: Buffer): void {
    this.#piece = piece;
  }

  /** The next complete line, or undefined when more bytes are needed. */
  next(): Frame | undefined {
    while (true) {
      const end = this.#piece.indexOf(NEWLINE);
      if (end < 0) {
        this.#keep(this.#piece);
        this.#piece = this.#piece.subarray(this.#piece.length);
        return undefined;
      }
      const line = this.#complete(this.#piece.subarray(0, end));
      this.#piece = this.#piece.subarray(end + 1);
      const frame = line && frameOf(line);
      this.#forget();
      if (frame) return frame;
    }
  }

  /** The bytes after the last line taken; the framer starts anew. */
  rest(): Buffer {
    const rest = this.#piece;
    this.#piece = Buffer.alloc(0);
    this.#forget();
    return rest;
  }

  /** The whole line that ends with `tail`; undefined when it was too long. */
  #complete(tail: Buffer): Buffer | undefined {
    if (this.#skipping || this.#kept + tail.length > MAX_LINE_BYTES) return undefined;
    if (this.#kept === 0) return tail;
    this.#keep(tail);
    return this.#line.subarray(0, this.#kept);
  }

  #keep(part: Buffer): void {
    if (this.#skipping || part.length === 0) return;
    const length = this.#kept + part.length;
    if (length > MAX_LINE_BYTES) {
      this.#forget();
      this.#skipping = true;
      return;
    }
    if (length > this.#line.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.min(Math.max(length, this.#line.length * 2), MAX_LINE_BYTES),
      );
      this.#line.copy(larger, 0, 0, this.#kept);
      this.#line = larger;
    }
    part.copy(this.#line, this.#kept);
    this.#kept = length;
  }

  #forget(): void {
    this.#kept = 0;
    this.#skipping = false;
    if (this.#line.length > SMALL_BYTES) this.#line = Buffer.allocUnsafeSlow(SMALL_BYTES);
  }
}

/** What a line says; undefined for an empty one, which terminals may end with a carriage return. */
function frameOf(line: Buffer): Frame | undefined {
  const bytes = line.length;
  if (bytes === 0 || (bytes === 1 && line[0] === RETURN)) return undefined;
  if (!isUtf8(line)) return { problem: 'The line is not UTF-8.', bytes };
  const text = line.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'The line is not JSON.', bytes };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'The line is not a JSON object.', bytes };
  }
  const object: Readonly<Record<string, unknown>> = { ...value };
  return typeof object.id === 'number'
    ? { object, numericId: spelling(text, object.id), bytes }
    : { object, bytes };
}

/** How the line spells the number under its `id`. */
function spelling(text: string, id: number): string {
  const plain = String(id);
  // Most lines begin like this, and are not worth being read twice.
  if (Number.isSafeInteger(id) && /^[,}]/.test(text.slice(6 + plain.length, 7 + plain.length))) {
    if (text.startsWith(`{"id":${plain}`)) return plain;
  }
  const spellings = new Map<unknown, string>();
  try {
    const root: unknown = JSON.parse(text, reviveId);
    return spellings.get(root) ?? plain;
  } catch {
    // Nested too deeply for this way of reading: its body is refused, whatever the id.
    return JSON.stringify(id);
  }

  function reviveId(this: unknown, key: string, value: unknown, context?: { source?: string }): unknown {
    if (key === 'id' && typeof value === 'number' && context?.source !== undefined) {
      spellings.set(this, context.source);
    }
    return value;
  }
}
