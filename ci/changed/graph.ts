/** Which files of the project name which others, and so what a change can reach. Paths are from the project's folder. */
import { posix } from 'node:path';

const COMMENT_LINE = /^\s*(?:\/?\*|\/\/).*$/gm;
/** Something with a slash, as in `import … from '../x.ts'` and in `'board/common/init'`. */
const PATH = /[\w.@-]+(?:\/[\w.@-]*)+/g;
/** A path that is put together: `join(ROOT, 'board', name)`. */
const JOINED = /\b(?:join|resolve)\(\s*(?:ROOT|root|import\.meta\.dirname),((?:\s*['"`][^'"`$]*['"`],?)+)/g;
/** Folders that paths begin in, beside a source's own: the project's, and the agent's for its `asset()`. */
const ROOTS = ['', 'agent'];
/** Of dots alone, to which others are joined; or with dots behind a name, as archives in tests have them. */
const NO_PATH = /^[./]*$|[^./][^/]*\/\.\.?(?:\/|$)/;
/** Reads whatever the project has. */
const READS_ALL = /\bprojectFiles\(/;
const BESIDE = /new URL\(\s*['"`]([\w.@-]+)['"`],\s*import\.meta\.url/g;

/**
 * The files and folders that a source names, by imports (every local one ends in .ts), and by strings that are a path
 * from its own folder or from the project's. It may find too many, as a word that happens to be a folder's name.
 * @param exists whether there is such a file or folder
 */
export function namedIn(path: string, text: string, exists: (path: string) => boolean): string[] {
  const code = text.replaceAll(COMMENT_LINE, '');
  const folder = posix.dirname(path);
  const candidates: string[] = [];
  for (const [token] of code.matchAll(PATH)) {
    if (NO_PATH.test(token)) continue;
    // In `"$1/board/common/x.sh"` the path begins behind the first slash.
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

/** What each file names, by its path. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** The graph of a project's files. @param sources the text of those that are read, by path */
export function graphOf(files: Iterable<string>, sources: ReadonlyMap<string, string>): Graph {
  const known = new Set<string>();
  for (const file of files) {
    for (let path = file; path !== PROJECT; path = posix.dirname(path)) known.add(path);
  }
  return new Map(
    [...sources].map(([path, text]) => [
      path,
      // Nothing depends on a test: who names one runs or lists it.
      namedIn(path, text, (one) => known.has(one) && !one.endsWith('.test.ts')),
    ]),
  );
}

/** The changed files and all that name them, or a folder around them, directly or through others. */
export function reached(changed: Iterable<string>, graph: Graph): Set<string> {
  const namedBy = new Map<string, string[]>();
  for (const [path, names] of graph) {
    for (const name of names) namedBy.set(name, [...(namedBy.get(name) ?? []), path]);
  }
  const found = new Set(changed);
  for (const file of found) {
    for (let path = file; path !== PROJECT; path = posix.dirname(path)) {
      for (const one of namedBy.get(path) ?? []) found.add(one);
    }
    for (const one of namedBy.get(PROJECT) ?? []) found.add(one);
  }
  return found;
}
