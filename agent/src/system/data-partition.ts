import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { ApiError, storageError } from '../contract/errors.ts';
import { now } from '../contract/shared.ts';
import type { DataReset } from '../resources/device/ports.ts';

/** Erases the start of the unmounted data partition; it has the permissions that the agent lacks. */
export const ERASE_UNIT = 'vitrine-erase-data.service';

export interface DataResetOptions {
  /** The file that the initramfs looks for; undefined on a system without our initramfs. */
  flag: string | undefined;
  /** Folder where the initramfs leaves the state of the partition. */
  runtimeFolder: string;
  /** Runs a oneshot service to its end. */
  runService: (unit: string) => Promise<void>;
}

/**
 * Requests that the initramfs (board/common/initramfs/init) creates a new file system for /data: by a flag file on the
 * partition or, when it could not be mounted, by erasing its first blocks. Erasing cannot be withdrawn.
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
        // A failure after the answer could not be reported.
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
 * Health check: writes a file to the data partition and reads it back.
 * @throws Error when the folder cannot be written, returns other data, or replaces a partition that this version cannot
 *   use
 */
export async function proveLasting(folder: string, runtimeFolder: string): Promise<void> {
  if ((await dataState(runtimeFolder)) === 'unusable') throw new Error(PROBLEMS.unusable);
  const file = join(folder, '.writable');
  const text = now();
  await writeFileAtomic(file, text, 0o600);
  if ((await readFile(file, 'utf8')) !== text) throw new Error(`${folder} does not return the written data`);
  await rm(file, { force: true });
}

/** State of /data as the initramfs left it at this boot; empty without our initramfs. */
async function dataState(runtimeFolder: string): Promise<string> {
  const text = await readFile(join(runtimeFolder, 'data-state'), 'utf8').catch(() => '');
  return text.trim();
}

const PROBLEMS = {
  repaired: 'The file system of the data partition was damaged and has been repaired.',
  unchecked: 'The file system of the data partition could not be checked; it is used unchecked.',
  replaced:
    'The data partition could not be repaired and was replaced by an empty one: everything on it is lost.',
  missing: 'There is no usable data partition: everything stored is lost at a reboot.',
  unusable:
    'The data partition cannot be used by this version and was left as it is; everything stored is lost at a reboot. ' +
    'See the log for the reason. Reboot, boot or install the version that wrote it, or reset to factory settings.',
} as const;

/** Problems that the initramfs found with /data at this boot, as sentences for `health`. */
export async function dataPartitionProblems(runtimeFolder: string): Promise<string[]> {
  const state = await dataState(runtimeFolder);
  return Object.entries(PROBLEMS).flatMap(([name, problem]) => (name === state ? [problem] : []));
}
