import { isUtf8 } from 'node:buffer';
import { MAX_DEPTH, MAX_NAME_BYTES, MAX_SEGMENT_BYTES } from './limits.ts';
import { entryError, quoted, ZipError } from './zip-error.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII ends at 7f
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * An entry's name, checked: a relative path of UTF-8, segments divided by single slashes, a slash at the end for a
 * folder. UTF-8 counts with flag bit 11 or without: macOS writes it without.
 */
export function readName(raw: Buffer): string {
  if (raw.length === 0) throw new ZipError('An entry has an empty name.');
  if (raw.length > MAX_NAME_BYTES) throw entryError(raw, `has a name longer than ${MAX_NAME_BYTES} bytes`);
  if (!isUtf8(raw)) throw entryError(raw, 'has a name that is not UTF-8');
  const name = raw.toString('utf8');
  const wrong = wrongWithPath(name);
  if (wrong) throw entryError(name, wrong);
  return name;
}

function wrongWithPath(name: string): string | undefined {
  if (name.includes('\0')) return 'has a NUL in its name';
  if (CONTROL.test(name)) return 'has a control character in its name';
  if (name.includes('\\')) return 'has a backslash in its name';
  if (name.startsWith('/')) return 'has an absolute path';
  if (/^[A-Za-z]:/.test(name)) return 'has a drive letter in its path';
  const end = name.endsWith('/') ? name.length - 1 : name.length;
  let depth = 0;
  for (let start = 0; start <= end; ) {
    const slash = name.indexOf('/', start);
    const stop = slash < 0 ? end : slash;
    const wrong = wrongWithSegment(name, start, stop);
    if (wrong) return wrong;
    if (++depth > MAX_DEPTH) return `lies more than ${MAX_DEPTH} folders deep`;
    start = stop + 1;
  }
  return undefined;
}

function wrongWithSegment(name: string, start: number, end: number): string | undefined {
  const length = end - start;
  if (length === 0) return 'has an empty segment in its path';
  if (length === 1 && name[start] === '.') return 'has "." in its path';
  if (length === 2 && name.startsWith('..', start)) return 'has ".." in its path';
  // A unit takes three bytes at most, so short ones need no counting.
  if (length * 3 > MAX_SEGMENT_BYTES && Buffer.byteLength(name.slice(start, end)) > MAX_SEGMENT_BYTES) {
    return `has a segment longer than ${MAX_SEGMENT_BYTES} bytes in its path`;
  }
  return undefined;
}

/** What two names share that differ only by case or by Unicode composition. */
export function foldedName(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  // The final sigma is the only letter whose lower case depends on its neighbours.
  return name.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** All names of one archive: refuses a second one that would meet the first on some file system. */
export class NameRegister {
  /** Path as spelled, a folder's with a slash at its end, by its folded path without. */
  readonly #spelled = new Map<string, string>();
  /** Folders with an entry of their own. */
  readonly #entries = new Set<string>();
  /** Folders that are registered together with those around them. */
  readonly #around = new Set<string>();

  /** Adds an entry and the folders that its path implies. */
  add(name: string): void {
    if (name.endsWith('/')) {
      if (this.#entries.has(name)) throw entryError(name, 'is there twice');
      this.#entries.add(name);
      this.#register(name.slice(0, -1), name, name);
    } else {
      if (this.#register(name, name, name)) throw entryError(name, 'is there twice');
    }
    let slash = name.lastIndexOf('/', name.length - 2);
    while (slash > 0) {
      const folder = name.slice(0, slash);
      if (this.#around.has(folder)) return;
      this.#around.add(folder);
      this.#register(folder, `${folder}/`, name);
      slash = folder.lastIndexOf('/');
    }
  }

  /** @returns whether it was there already, of the same kind and spelling */
  #register(path: string, spelled: string, entry: string): boolean {
    const key = foldedName(path);
    const known = this.#spelled.get(key);
    if (known === spelled) return true;
    if (known === undefined) {
      this.#spelled.set(key, spelled);
      return false;
    }
    const knownPath = known.endsWith('/') ? known.slice(0, -1) : known;
    if (knownPath === path) throw entryError(entry, `makes ${quoted(path)} a file and a folder at once`);
    const differ = path.normalize('NFC') === knownPath.normalize('NFC') ? 'Unicode composition' : 'case';
    throw entryError(
      entry,
      `is spelled ${quoted(path)} where another is ${quoted(knownPath)}: they differ only by ${differ}`,
    );
  }
}
