/**
 * Finds out which files of the project refer to which others, and so which files a change can affect. Paths are relative
 * to the project's folder.
 */
import { posix } from 'node:path';

const COMMENT_LINE = /^\s*(?:\/?\*|\/\/).*$/gm;
/** Types do not exist when a test runs; that they fit is checked after every change. */
const TYPE_IMPORT = /^import type [^;]*;$/gm;
/** A word with a slash, as in `import … from '../x.ts'` and in `'board/common/init'`. */
const PATH = /[\w.@-]+(?:\/[\w.@-]*)+/g;
/** A path that is built from parts: `join(ROOT, 'board', name)`. */
const JOINED = /\b(?:join|resolve)\(\s*(?:ROOT|root|import\.meta\.dirname),((?:\s*['"`][^'"`$]*['"`],?)+)/g;
/** Folders to which paths may be relative besides the file's own: the project's, and agent/ for the agent's `asset()`. */
const ROOTS = ['', 'agent'];
/** Not a path of the project: only dots, or ".." after a name, as in the archives of tests. */
const NO_PATH = /^[./]*$|[^./][^/]*\/\.\.?(?:\/|$)/;
/** A test with this call depends on all files of the project. */
const READS_ALL = /\bprojectFiles\(/;
/** Tests and their helpers. */
const TEST = /\.test\.ts$|\/tests\//;
const BESIDE = /new URL\(\s*['"`]([\w.@-]+)['"`],\s*import\.meta\.url/g;

/**
 * The files and folders that a source file refers to, by imports (local ones all end in .ts) and by strings that are paths
 * relative to its own folder or the project's. Imports of types do not count. It may find too many, for example a word
 * that is also a folder's name.
 * @param exists whether a file or folder exists
 */
export function namedIn(path: string, text: string, exists: (path: string) => boolean): string[] {
  const code = text.replaceAll(COMMENT_LINE, '').replaceAll(TYPE_IMPORT, '');
  const folder = posix.dirname(path);
  const candidates: string[] = [];
  for (const [token] of code.matchAll(PATH)) {
    if (NO_PATH.test(token)) continue;
    // In `"$1/board/common/x.sh"` the path begins after the first slash.
    const tail = token.slice(token.indexOf('/') + 1);
    candidates.push(posix.join(folder, token), posix.normalize(tail));
    for (const root of ROOTS) candidates.push(posix.join(root, token));
  }
  for (const [, parts = ''] of code.matchAll(JOINED)) {
    const words = [...parts.matchAll(/['"`]([^'"`]*)['"`]/g)].map(([, word = '']) => word);
    candidates.push(posix.join(...words), posix.join(folder, ...words));
  }
  for (const [, name = ''] of code.matchAll(BESIDE)) candidates.push(posix.join(folder, name));
  const named = candidates.map((one) => one.replace(/\/$/, ''));
  const found = [...new Set(named)].filter((one) => one !== path && exists(one));
  return path.endsWith('.test.ts') && READS_ALL.test(code) ? [...found, PROJECT] : found;
}

/** The folder of the whole project. */
const PROJECT = '.';

/** The files and folders that each file refers to, by its path. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** Builds the graph of a project's files. @param sources the text of the source files, by path */
export function graphOf(files: Iterable<string>, sources: ReadonlyMap<string, string>): Graph {
  const known = new Set<string>();
  for (const file of files) {
    for (let path = file; path !== PROJECT; path = posix.dirname(path)) known.add(path);
  }
  return new Map(
    [...sources].map(([path, text]) => [
      path,
      // Nothing depends on a test: a file that names one runs or lists it.
      namedIn(path, text, (one) => known.has(one) && !one.endsWith('.test.ts')),
    ]),
  );
}

/** The changed files and all files that refer to them or to one of their folders, directly or indirectly. */
export function reached(changed: Iterable<string>, graph: Graph): Set<string> {
  const namedBy = new Map<string, string[]>();
  for (const [path, names] of graph) {
    for (const name of names) namedBy.set(name, [...(namedBy.get(name) ?? []), path]);
  }
  const found = new Set(changed);
  const direct = new Set(found);
  for (const file of found) {
    for (const one of namedBy.get(file) ?? []) found.add(one);
    // What refers to a folder uses the files in it, but runs no tests: a change that reaches those ends there.
    const hasUsers = direct.has(file) || !TEST.test(file);
    for (let path = posix.dirname(file); hasUsers && path !== PROJECT; path = posix.dirname(path)) {
      for (const one of namedBy.get(path) ?? []) found.add(one);
    }
    for (const one of namedBy.get(PROJECT) ?? []) found.add(one);
  }
  return found;
}
