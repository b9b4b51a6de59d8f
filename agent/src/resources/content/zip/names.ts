import { isUtf8 } from 'node:buffer';
import { entryError, quoted, ZipError } from './zip-entry.ts';

const MAX_NAME_BYTES = 1024;
const MAX_DEPTH = 64;
/** Files and folders, including folders without an entry of their own: long paths imply many of those. */
const MAX_NODES = 200_000;

const BAD_PATHS: readonly (readonly [RegExp, string])[] = [
  [/\p{Cc}/u, 'has a control character in its name'],
  [/\\/, 'has a backslash in its name'],
  [/^\//, 'has an absolute path'],
  [/^[A-Za-z]:/, 'has a drive letter in its path'],
  [/(?:^|\/)\.\.?(?:\/|$)/, 'has "." or ".." in its path'],
  [/\/\//, 'has an empty segment in its path'],
];

/**
 * An entry's name: a relative UTF-8 path with a slash at the end for a folder. The UTF-8 flag (bit 11) is not
 * required: macOS does not set it.
 * @throws ZipError when the name is not valid in a bundle
 */
export function readName(raw: Buffer): string {
  const name = raw.toString('utf8');
  if (raw.length === 0) throw new ZipError('An entry has an empty name.');
  if (raw.length > MAX_NAME_BYTES) throw entryError(name, `has a name longer than ${MAX_NAME_BYTES} bytes`);
  if (!isUtf8(raw)) throw entryError(name, 'has a name that is not UTF-8');
  const bad = BAD_PATHS.find(([pattern]) => pattern.test(name));
  if (bad) throw entryError(name, bad[1]);
  return name;
}

/** Equal for names that differ only by case or Unicode composition. */
function fold(name: string): string {
  // The final sigma is the only letter whose lower case depends on its neighbours.
  return name.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

interface Node {
  id: number;
  spelling: string;
  isFolder: boolean;
  /** Whether the archive has an entry for it: many archives list files without their folders. */
  isListed: boolean;
}

/** The tree of all names in an archive. Refuses names that would collide on some file system. */
export class NameTree {
  /** By the parent's id and the folded name. */
  readonly #nodes = new Map<string, Node>();

  /** @throws ZipError */
  add(name: string): void {
    const segments = name.split('/');
    const isFolder = name.endsWith('/');
    if (isFolder) segments.pop();
    if (segments.length > MAX_DEPTH) throw entryError(name, `is more than ${MAX_DEPTH} folders deep`);
    let node: Node | undefined;
    for (const [index, spelling] of segments.entries()) {
      node = this.#node(node?.id ?? 0, spelling, isFolder || index < segments.length - 1, name);
    }
    if (!node) return;
    if (node.isListed) throw entryError(name, 'is in the archive twice');
    node.isListed = true;
  }

  #node(parent: number, spelling: string, isFolder: boolean, name: string): Node {
    const key = `${parent}/${fold(spelling)}`;
    const known = this.#nodes.get(key);
    if (!known) {
      const id = this.#nodes.size + 1;
      if (id > MAX_NODES) throw new ZipError(`The archive has more than ${MAX_NODES} files and folders.`);
      const node = { id, spelling, isFolder, isListed: false };
      this.#nodes.set(key, node);
      return node;
    }
    if (known.spelling !== spelling) {
      const both = `${quoted(spelling)} and ${quoted(known.spelling)}`;
      throw entryError(name, `collides with another: ${both} differ only by case or Unicode composition`);
    }
    if (known.isFolder !== isFolder) {
      throw entryError(name, `makes ${quoted(spelling)} both a file and a folder`);
    }
    return known;
  }
}
