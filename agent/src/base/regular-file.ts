import { readFile, stat } from 'node:fs/promises';
import { errorCode } from './system-error.ts';

/** A file that is too large, or is none: a folder, a pipe, a device. The message ends a sentence. */
export class NotRegularError extends Error {}

/**
 * Reads a small file. Unlike `readFile` it never waits for the other end of a pipe, and never reads a device.
 * @param maxBytes largest size
 * @returns undefined if there is no such file
 * @throws NotRegularError, and Error of the system
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) return undefined;
  if (!found.isFile() || found.size > maxBytes) {
    throw new NotRegularError(`it is not a regular file of at most ${maxBytes / 2 ** 20} MiB`);
  }
  return await readFile(path);
}
