/** JSON may spell halves of a character (`\ud83d`) that no Unicode text can hold; only texts with such escapes need a look. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Whether all text in a JSON value is Unicode. Half a character comes of text that was cut at a number of UTF-16 units;
 * many readers of JSON take a whole document with one in it for broken.
 * @param json the text that `value` was read from
 */
export function isWellFormed(json: string, value: unknown): boolean {
  if (!SURROGATE_ESCAPE.test(json)) return true;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') {
      if (!next.isWellFormed()) return false;
    } else if (Array.isArray(next)) {
      for (const item of next) waiting.push(item);
    } else if (typeof next === 'object' && next !== null) {
      for (const [key, child] of Object.entries(next)) waiting.push(key, child);
    }
  }
  return true;
}
