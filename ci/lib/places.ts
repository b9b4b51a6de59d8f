import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from './problem.ts';

/** The project's folder, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where failed scenarios leave what they saw; not in git. */
export const EVIDENCE = join(ROOT, 'build', 'evidence');

/** What is kept between runs and can be made again: outside the project's folder, `VITRINE_CACHE` moves it. */
export function cacheFolder(): string {
  const { VITRINE_CACHE, XDG_CACHE_HOME } = process.env;
  return VITRINE_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'vitrine');
}

/**
 * A machine's folder for what lives as long as it runs: sockets, logs, its record. Socket paths may not pass
 * 107 bytes, so it is a short path whatever the project's or the home folder's is.
 */
export function runtimeFolder(name: string): string {
  const base = join(tmpdir().length < 40 ? tmpdir() : '/tmp', `vitrine-${process.getuid?.() ?? 0}`);
  mkdirSync(base, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(base);
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0) {
    throw new Problem(`${base} belongs to somebody else or is open to others; remove it.`);
  }
  // A long name is shortened; the hash keeps two of them apart.
  const short = name.length <= 24 ? name : createHash('sha256').update(name).digest('hex').slice(0, 24);
  return join(base, short);
}

/** Throws a {@link Problem} when the disk that carries `folder` has less room than `bytes`. */
export async function needRoom(folder: string, bytes: number, what: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes) {
    const gib = (n: number): string => `${(n / 2 ** 30).toFixed(1)} GiB`;
    throw new Problem(
      `${what} needs ${gib(bytes)} in ${folder}, but only ${gib(free)} are free. Make room there, or set VITRINE_CACHE to a folder on a bigger disk.`,
    );
  }
}
