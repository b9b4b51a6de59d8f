/** Why an archive is not a valid bundle: one English sentence that names the entry, safe to print. */
export class ZipError extends Error {
  override name = 'ZipError';
}

const SHOWN_CHARACTERS = 80;
const TROUBLESOME = /[\p{C}\p{Zl}\p{Zp}"\\]/u;

function shown(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  if (!TROUBLESOME.test(character)) return character;
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/**
 * A name in quotes, for a sentence: what does not print or turns the writing direction is escaped, a long one is cut.
 * @param name the text, or its bytes when they are not UTF-8
 */
export function quoted(name: string | Buffer): string {
  const characters = [];
  if (typeof name !== 'string') {
    for (const byte of name.subarray(0, SHOWN_CHARACTERS + 1)) {
      const printable = byte >= 0x20 && byte < 0x7f;
      characters.push(
        printable ? shown(String.fromCharCode(byte)) : `\\x${byte.toString(16).padStart(2, '0')}`,
      );
    }
  } else {
    // A character is two units at most, so no more than that is looked at, however long the name is.
    for (const character of name.slice(0, 2 * SHOWN_CHARACTERS + 2)) characters.push(shown(character));
  }
  const text = characters.slice(0, SHOWN_CHARACTERS).join('');
  return characters.length > SHOWN_CHARACTERS ? `"${text}…"` : `"${text}"`;
}

/** The reason `The entry "NAME" WHAT.` */
export function entryError(name: string | Buffer, what: string): ZipError {
  return new ZipError(`The entry ${quoted(name)} ${what}.`);
}
