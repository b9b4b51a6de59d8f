import { readFile, stat } from 'node:fs/promises';
import { errorCode } from './system-error.ts';

/**
 * Reads a small file. Unlike `readFile` it never waits for the other end of a pipe, and never reads a device.
 * @param maxBytes largest size
 * @returns undefined if there is no such file
 * @throws Error of the system, or if it is a folder, a special file or larger; the message ends a sentence
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) return undefined;
  if (!found.isFile() || found.size > maxBytes) {
    throw new Error(`it is not a regular file of at most ${maxBytes / 2 ** 20} MiB`);
  }
  return await readFile(path);
}
