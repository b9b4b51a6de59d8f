/** JSON as people read it, and never more of it than a browser can show. Pure. */
import { visible } from './entry.ts';

/** Longest JSON that is indented, in characters: with many levels it becomes hundreds of times longer. */
const LONGEST_INDENTED = 64 * 2 ** 10;
/** Longest text that is shown, in characters. */
const LONGEST_SHOWN = 128 * 2 ** 10;

/** A text that may be the beginning of a longer one. */
export interface Shortened {
  readonly text: string;
  /** Characters that were left out at the end. */
  readonly cut: number;
}

/** A value as JSON, indented if it is not too long. Undefined is null, as in the API. */
export function jsonText(value: unknown): Shortened {
  const compact = JSON.stringify(value ?? null);
  return shortened(compact.length <= LONGEST_INDENTED ? JSON.stringify(value ?? null, null, 2) : compact);
}

/** JSON that has been written already, indented; any other text as it is. */
export function indented(text: string): Shortened {
  if (text.length > LONGEST_INDENTED) return shortened(text);
  try {
    return jsonText(JSON.parse(text));
  } catch {
    return shortened(text);
  }
}

function shortened(text: string): Shortened {
  return { text: visible(text.slice(0, LONGEST_SHOWN)), cut: Math.max(0, text.length - LONGEST_SHOWN) };
}
