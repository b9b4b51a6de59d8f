import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from './system-error.ts';

/** Names of temporary files. They are leftovers of interrupted writes unless a write is running. */
export const TEMPORARY_FILE = /^\..+\.[0-9a-f]{12}\.tmp$/;

/**
 * Replaces a file so that a reader, and a boot after a power cut, finds either the old or the new content:
 * write beside it, fsync, rename, fsync the folder.
 * @param mode permission bits of the new file, 0o644 by default
 */
export async function writeFileAtomic(path: string, data: string | Uint8Array, mode = 0o644): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(temporary, data, { mode, flag: 'wx', flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/**
 * Creates a folder and its missing parents. Unlike Node's recursive call it reports the system's actual error instead of
 * ENOENT.
 * @param mode permission bits of the new folders, 0o777 minus the umask by default
 * @returns the first folder created, undefined when none was missing
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await mkdir(path, { recursive: true, mode });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') await mkdir(path, mode);
    throw error;
  }
}

/** Makes renames and removals in a folder durable (fsync). */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes a file so that it is also gone after a power cut. A file that does not exist is no error. */
export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  await syncFolder(dirname(path));
}

/** As `removeFile`, for whatever has the file's name, also a folder with its content. */
export async function removeTree(path: string): Promise<void> {
  if (!(await lstat(path).catch(() => undefined))) return;
  await rm(path, { recursive: true, force: true });
  await syncFolder(dirname(path));
}

/**
 * Removes temporary files that a power cut has left in a folder, but not in its subfolders. Call it before anything is
 * written there. Never fails: a remaining file is harmless.
 */
export async function sweepTemporaryFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => TEMPORARY_FILE.test(each))) {
    await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}
