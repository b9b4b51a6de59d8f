import { isUtf8 } from 'node:buffer';
import { MAX_DEPTH, MAX_NAME_BYTES, MAX_NAMES, MAX_SEGMENT_BYTES } from './limits.ts';
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

/** A name within its folder. */
interface Node {
  /** As spelled by who came first. */
  spelled: string;
  /** By folded name; a file has none. */
  children: Map<string, Node> | undefined;
  /** Whether the archive has an entry of it, not only of what is in it. */
  isEntry: boolean;
}

/** All names of one archive: refuses a second one that would meet the first on some file system. */
export class NameRegister {
  readonly #root = new Map<string, Node>();
  #nodes = 0;
  /** Where the last entry lay: the next one mostly lies there too. */
  #lastFolder = '';
  #lastChildren = this.#root;

  /** Adds an entry and the folders that its path implies. */
  add(name: string): void {
    const isFolder = name.endsWith('/');
    const path = isFolder ? name.slice(0, -1) : name;
    const start = path.lastIndexOf('/') + 1;
    const children = this.#folder(path.slice(0, start), name);
    const node = this.#child(children, path.slice(start), isFolder, name);
    if (node.isEntry) throw entryError(name, 'is there twice');
    node.isEntry = true;
  }

  /** @param folder path with a slash at its end, or nothing for the root */
  #folder(folder: string, entry: string): Map<string, Node> {
    if (folder === this.#lastFolder) return this.#lastChildren;
    let children = this.#root;
    for (let start = 0; start < folder.length; ) {
      const end = folder.indexOf('/', start);
      children = this.#child(children, folder.slice(start, end), true, entry).children ?? children;
      start = end + 1;
    }
    this.#lastFolder = folder;
    this.#lastChildren = children;
    return children;
  }

  #child(children: Map<string, Node>, spelled: string, isFolder: boolean, entry: string): Node {
    const key = foldedName(spelled);
    const known = children.get(key);
    if (!known) {
      // Deep paths imply many folders in a few bytes.
      if (++this.#nodes > MAX_NAMES) throw new ZipError(`The archive has more than ${MAX_NAMES} names.`);
      const node = { spelled, children: isFolder ? new Map<string, Node>() : undefined, isEntry: false };
      children.set(key, node);
      return node;
    }
    if (known.spelled !== spelled) {
      const isCase = spelled.normalize('NFC') !== known.spelled.normalize('NFC');
      const how = isCase ? 'case' : 'Unicode composition';
      throw entryError(
        entry,
        `has ${quoted(spelled)} in its path beside ${quoted(known.spelled)} of another: they differ only by ${how}`,
      );
    }
    if ((known.children !== undefined) !== isFolder) {
      throw entryError(entry, `makes ${quoted(spelled)} a file and a folder at once`);
    }
    return known;
  }
}
