/** NDJSON framing of the serial link (interface: Serial transport). */
import { isUtf8 } from 'node:buffer';
import { LineSplitter } from '../../base/line-splitter.ts';
import type { Fields } from './request-frame.ts';

/** Longest line in bytes, without its line feed. Longer ones are ignored (interface: Limits). */
export const MAX_LINE_BYTES = 1024 * 1024;
const CARRIAGE_RETURN = 0x0d;

/** A line of the host: an object, or why it is not one. */
export type Frame =
  | {
      object: Fields;
      /** The number in `id` as the line spells it, since parsing changes some spellings. */
      numericId?: string;
      bytes: number;
    }
  | { problem: string; bytes: number };

/** Cuts a byte stream, which may arrive in pieces of any size, into frames. Never throws. */
export class Framer {
  readonly #lines = new LineSplitter(MAX_LINE_BYTES);

  /** Gives the next bytes. Take every frame with `next` before the next piece. */
  push(piece: Buffer): void {
    this.#lines.push(piece);
  }

  /** The next frame, or undefined when more bytes are needed. */
  next(): Frame | undefined {
    for (let line = this.#lines.next(); line; line = this.#lines.next()) {
      const frame = frameOf(line);
      if (frame) return frame;
    }
    return undefined;
  }

  /** The bytes after the last line taken; the framer starts again without them. */
  rest(): Buffer {
    return this.#lines.rest();
  }
}

/** Undefined for an empty line, which may hold the carriage return of a terminal. */
function frameOf(line: Buffer): Frame | undefined {
  const bytes = line.length;
  if (bytes === 0 || (bytes === 1 && line[0] === CARRIAGE_RETURN)) return undefined;
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
  const object: Fields = { ...value };
  return typeof object.id === 'number'
    ? { object, numericId: spellingOf(object.id, text), bytes }
    : { object, bytes };
}

/** How the line spells the number in its `id`. */
function spellingOf(id: number, text: string): string {
  const plain = String(id);
  // Most lines begin like this; the second parse is for the others.
  if (Number.isSafeInteger(id) && /^[,}]/.test(text.slice(6 + plain.length, 7 + plain.length))) {
    if (text.startsWith(`{"id":${plain}`)) return plain;
  }
  const spellings = new Map<unknown, string>();
  try {
    const root: unknown = JSON.parse(text, reviveId);
    return spellings.get(root) ?? plain;
  } catch {
    // Too deeply nested for a reviver. The request is refused because of its body, whatever the id is.
    return JSON.stringify(id);
  }

  function reviveId(this: unknown, key: string, value: unknown, context?: { source?: string }): unknown {
    if (key === 'id' && typeof value === 'number' && context?.source !== undefined) {
      spellings.set(this, context.source);
    }
    return value;
  }
}
