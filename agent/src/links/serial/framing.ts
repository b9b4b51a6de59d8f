/** Reads the lines of a serial link as frames (docs/api.md: Serial frames). */
import { isUtf8 } from 'node:buffer';
import { isTooDeep, notJson } from '../../contract/json.ts';

/** Longest line in bytes, without its line feed. Longer ones are ignored (docs/api.md: Limits). */
export const MAX_LINE_BYTES = 1024 * 1024;
export const MAX_ID_CHARACTERS = 256;
const CARRIAGE_RETURN = 0x0d;

/** The fields of a frame, not validated. */
export type Fields = Readonly<Record<string, unknown>>;

/** A line of the host: an object, or why it is not one. */
export type Frame =
  | {
      object: Fields;
      /**
       * `id` as JSON text, which distinguishes `1` from `"1"`: a number as the line spells it, since parsing changes some
       * spellings. Undefined when it is missing or not valid.
       */
      id: string | undefined;
      /** Nested too deeply (contract/json.ts). */
      isTooDeep: boolean;
    }
  | { problem: string };

/** Parses one line. Undefined for an empty one, which may hold the carriage return of a terminal. Never throws. */
export function parseFrame(line: Buffer): Frame | undefined {
  if (line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN)) return undefined;
  if (!isUtf8(line)) return { problem: 'The line is not UTF-8.' };
  const text = line.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: notJson('The line', text) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'The line is not a JSON object.' };
  }
  const object: Fields = { ...value };
  return { object, id: idOf(object.id, text), isTooDeep: isTooDeep(text, 1) };
}

function idOf(id: unknown, text: string): string | undefined {
  if (typeof id === 'number') {
    const spelling = spellingOf(id, text);
    return spelling.length <= MAX_ID_CHARACTERS ? spelling : undefined;
  }
  const isValid = typeof id === 'string' && id.length > 0 && id.length <= MAX_ID_CHARACTERS;
  return isValid ? JSON.stringify(id) : undefined;
}

/** How the line spells the number in its `id`. */
function spellingOf(id: number, text: string): string {
  const plain = String(id);
  // Most lines begin like this; the second parse is for the others.
  if (Number.isSafeInteger(id) && /^[,}]/.test(text.slice(6 + plain.length, 7 + plain.length))) {
    if (text.startsWith(`{"id":${plain}`)) return plain;
  }
  try {
    const root: unknown = JSON.parse(text, keepSpelling);
    if (typeof root === 'object' && root !== null && 'id' in root) return String(root.id);
  } catch {
    // Too deeply nested for a reviver. The request is refused because of its body, whatever the id is.
  }
  return JSON.stringify(id);
}

function keepSpelling(key: string, value: unknown, context?: { source?: string }): unknown {
  return key === 'id' && typeof value === 'number' ? context?.source : value;
}
