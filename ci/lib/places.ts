import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machinesFolder } from '../../client/virtual-devices.ts';
import { Problem } from './problem.ts';

/** The project's folder, with a trailing slash. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where failed scenarios save screenshots and logs; not in git. */
export const EVIDENCE = join(ROOT, 'build', 'evidence');

/** Files that are kept between runs and can be rebuilt. Outside the project's folder; `VITRINE_CACHE` overrides it. */
export function cacheFolder(): string {
  const { VITRINE_CACHE, XDG_CACHE_HOME } = process.env;
  return VITRINE_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'vitrine');
}

/** A machine's folder for files that exist only while it runs: sockets, logs, owner.json. */
export function runtimeFolder(name: string): string {
  const base = machinesFolder();
  mkdirSync(base, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(base);
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0) {
    throw new Problem(`${base} belongs to another user or is accessible to others; remove it.`);
  }
  // A long name is replaced by its hash, which is short and still unique.
  const short = name.length <= 24 ? name : createHash('sha256').update(name).digest('hex').slice(0, 24);
  return join(base, short);
}

/** Throws a {@link Problem} when the disk that holds `folder` has fewer than `bytes` free. */
export async function requireFreeSpace(folder: string, bytes: number, what: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes) {
    const gib = (n: number): string => `${(n / 2 ** 30).toFixed(1)} GiB`;
    throw new Problem(
      `${what} needs ${gib(bytes)} in ${folder}, but only ${gib(free)} are free. Free some space there, or set VITRINE_CACHE to a folder on a larger disk.`,
    );
  }
}
