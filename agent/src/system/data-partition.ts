import { accessSync, constants } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { errorCode } from '../base/system-error.ts';
import { ApiError, storageError } from '../contract/errors.ts';
import { now } from '../contract/shared.ts';
import type { DataReset } from '../resources/device/ports.ts';

/** Takes the beginning of a data partition away that is not mounted; the service that does it has the rights. */
export const ERASE_UNIT = 'vitrine-erase-data.service';

export interface DataResetOptions {
  /** The file that the initramfs looks for; undefined where the system does not boot through our initramfs. */
  flag: string | undefined;
  /** Where the initramfs says how it found the partition. */
  runtimeFolder: string;
  /** Starts a service and waits for its end. */
  runService: (unit: string) => Promise<void>;
}

/**
 * Has the initramfs (board/common/initramfs/init) give /data a new file system: by a flag on the partition or, when it
 * could not be mounted, by erasing its first blocks. That cannot be taken back, and nothing of it could be used.
 */
export function initramfsDataReset({ flag, runtimeFolder, runService }: DataResetOptions): DataReset {
  const requireFlag = () => {
    if (flag === undefined)
      throw new ApiError('unavailable', 'This system has no data partition of its own.');
    return flag;
  };
  return {
    async check() {
      const path = requireFlag();
      const state = await dataState(runtimeFolder);
      if (state === 'missing') throw new ApiError('unavailable', PROBLEMS.missing);
      if (state === 'unusable') return;
      try {
        // Afterwards there is nobody left to tell that it did not work.
        await writeFileAtomic(`${path}-trial`, `${now()}\n`, 0o600);
        await rm(`${path}-trial`);
      } catch (error) {
        throw storageError(error);
      }
    },
    async request() {
      const path = requireFlag();
      if ((await dataState(runtimeFolder)) === 'unusable') await runService(ERASE_UNIT);
      else await writeFileAtomic(path, `${now()}\n`, 0o600);
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
async function proveWritable(folder: string): Promise<void> {
  const file = join(folder, '.writable');
  const text = now();
  await writeFileAtomic(file, text, 0o600);
  if ((await readFile(file, 'utf8')) !== text)
    throw new Error(`${folder} does not hold what is written to it`);
  await rm(file, { force: true });
}

/**
 * Shows that what is written to the data folder lasts: the sign of a slot that can use the data partition.
 * @throws Error when the folder cannot be written, or stands in for a partition that this slot cannot use
 */
export async function proveLasting(folder: string, runtimeFolder: string): Promise<void> {
  if ((await dataState(runtimeFolder)) === 'unusable') throw new Error(PROBLEMS.unusable);
  await proveWritable(folder);
}

/** How the initramfs left /data at this boot; empty where there is none of ours. */
async function dataState(runtimeFolder: string): Promise<string> {
  const text = await readFile(join(runtimeFolder, 'data-state'), 'utf8').catch(() => '');
  return text.trim();
}

const PROBLEMS = {
  repaired: 'The file system of the data partition was damaged and has been repaired.',
  unchecked: 'The file system of the data partition could not be checked; it is used as it is.',
  replaced: 'The data partition could not be repaired and was made new: everything on it is lost.',
  missing: 'There is no usable data partition: nothing is remembered after a reboot.',
  unusable:
    'The data partition cannot be used by this version and was left as it is; nothing is remembered after a reboot. ' +
    'The log says why. Start again, start or install the version that wrote it, or reset to factory settings.',
} as const;

/** What the initramfs met when it brought /data up at this boot, as sentences for `health`; mostly none. */
export async function dataPartitionProblems(runtimeFolder: string): Promise<string[]> {
  const state = await dataState(runtimeFolder);
  return Object.entries(PROBLEMS).flatMap(([name, problem]) => (name === state ? [problem] : []));
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
