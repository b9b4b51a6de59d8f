/** Whether files can be a bundle, from their paths alone. Pure. */

/** Folders that are offered as the root. */
const MAX_OFFERS = 5;
/** Limits of the device, in bytes and folders. */
const MAX_PATH_BYTES = 1024;
const MAX_DEPTH = 64;

/** What the device would refuse. */
export interface Problem {
  readonly kind: 'inside' | 'spelled' | 'missing' | 'path' | 'long' | 'twins';
  /** The path or folder that it is about; empty for none. */
  readonly what: string;
  /** Folders of the first level that have an `index.html`; empty for none. */
  readonly folders: readonly string[];
}

/**
 * The first reason why the device would refuse a bundle of these files.
 * @param paths of files, and of folders with a slash at the end
 */
export function problemOf(paths: readonly string[]): Problem | undefined {
  return rootProblem(paths) ?? pathProblem(paths);
}

function rootProblem(paths: readonly string[]): Problem | undefined {
  if (paths.includes('index.html')) return undefined;
  const folders = paths.flatMap((path) => /^([^/]+)\/index\.html$/.exec(path)?.[1] ?? []);
  const [first = ''] = folders;
  if (folders.length > 0) return { kind: 'inside', what: first, folders: folders.slice(0, MAX_OFFERS) };
  const similar = paths.find((path) => /^index\.html?$/i.test(path));
  return { kind: similar === undefined ? 'missing' : 'spelled', what: similar ?? '', folders: [] };
}

function pathProblem(paths: readonly string[]): Problem | undefined {
  const encoder = new TextEncoder();
  /** Spellings of files and folders, by what some file systems do not tell apart. */
  const spellings = new Map<string, string>();
  for (const path of paths) {
    const segments = path.replace(/\/$/, '').split('/');
    if (/\p{Cc}|\\|^[A-Za-z]:/u.test(path)) return { kind: 'path', what: path, folders: [] };
    if (segments.length > MAX_DEPTH || encoder.encode(path).length > MAX_PATH_BYTES) {
      return { kind: 'long', what: path, folders: [] };
    }
    for (let depth = 1; depth <= segments.length; depth += 1) {
      const spelling = segments.slice(0, depth).join('/');
      const key = spelling.toLowerCase().normalize('NFC');
      if ((spellings.get(key) ?? spelling) !== spelling)
        return { kind: 'twins', what: spelling, folders: [] };
      spellings.set(key, spelling);
    }
  }
  return undefined;
}
