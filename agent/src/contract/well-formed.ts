/** JSON can escape half of a surrogate pair (`\ud83d`); only documents with such escapes need a check. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Whether all text in a JSON value is valid Unicode. An unpaired surrogate comes from cutting text between UTF-16 units;
 * many JSON parsers reject a whole document because of one.
 * @param json the text that `value` was parsed from
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
