import { accessSync, constants } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { errorCode } from '../base/system-error.ts';
import { ApiError, storageError } from '../contract/errors.ts';
import { now } from '../contract/shared.ts';
import type { DataReset } from '../resources/device/ports.ts';

/**
 * Leaves the file that makes the initramfs (board/common/initramfs/init) give /data a new file system.
 * @param flag path of that file; undefined where the system does not boot through our initramfs
 */
export function initramfsDataReset(flag: string | undefined): DataReset {
  const refuse = () => new ApiError('unavailable', 'This system has no data partition of its own.');
  return {
    async check() {
      if (flag === undefined) throw refuse();
      try {
        // Afterwards there is nobody left to tell that it did not work.
        await writeFileAtomic(`${flag}-trial`, `${now()}\n`, 0o600);
        await rm(`${flag}-trial`);
      } catch (error) {
        throw storageError(error);
      }
    },
    async request() {
      if (flag === undefined) throw refuse();
      await writeFileAtomic(flag, `${now()}\n`, 0o600);
    },
    async withdraw() {
      if (flag !== undefined) await rm(flag, { force: true });
    },
  };
}

/**
 * Writes a file to the disk and reads it back.
 * @throws Error when the folder cannot be written or does not hold what was written
 */
export async function proveWritable(folder: string): Promise<void> {
  const file = join(folder, '.writable');
  const text = now();
  await writeFileAtomic(file, text, 0o600);
  if ((await readFile(file, 'utf8')) !== text)
    throw new Error(`${folder} does not hold what is written to it`);
  await rm(file, { force: true });
}

const PROBLEMS: Readonly<Record<string, string>> = {
  repaired: 'The file system of the data partition was damaged and has been repaired.',
  unchecked: 'The file system of the data partition could not be checked; it is used as it is.',
  replaced: 'The data partition could not be repaired and was made new: everything on it is lost.',
  missing: 'There is no usable data partition: nothing is remembered after a reboot.',
};

/** What the initramfs met when it brought /data up at this boot, as sentences for `health`; mostly none. */
export async function dataPartitionProblems(runtimeFolder: string): Promise<string[]> {
  const state = await readFile(join(runtimeFolder, 'data-state'), 'utf8').catch(() => '');
  const problem = PROBLEMS[state.trim()];
  return problem === undefined ? [] : [problem];
}

/**
 * A file system that cannot be written now, as a sentence for `health`; mostly none. The kernel makes one read-only
 * when it meets damage in it, at any time. Costs one system call without a look at the disk.
 * @param access `accessSync`; another in tests
 */
export function readOnlyProblems(folder: string, access = accessSync): string[] {
  try {
    access(folder, constants.W_OK);
  } catch (error) {
    if (errorCode(error) === 'EROFS') return ['The data partition is read-only: nothing is stored any more.'];
  }
  return [];
}
