/** Space on the data partition, reserved with util-linux' fallocate(1): Node has no call for it. */
import { stat, statfs } from 'node:fs/promises';
import { RESERVE_BYTES } from '../base/disk-reserve.ts';
import { Mutex } from '../base/mutex.ts';
import { errorCode } from '../base/system-error.ts';
import { ApiError } from '../contract/errors.ts';
import type { DiskSpace } from '../uploads/ports.ts';
import { run } from './processes.ts';

/** An allocation writes a few extents and no data; when it takes longer, the disk hangs. In ms. */
const ALLOCATE_TIMEOUT_MS = 30_000;
/** Unit of `blocks` in the result of stat, on every file system. */
const BLOCK_BYTES = 512;
const DISK_FULL = /No space left|quota exceeded|File too large/i;

/**
 * The file system that holds a folder. Besides allocating space it records what it has reserved: on a file system that
 * cannot preallocate (EOPNOTSUPP), only that record keeps two uploads from using the same space.
 */
export class FileSystemSpace implements DiskSpace {
  readonly #folder: string;
  readonly #command: string;
  /** Bytes reserved, by path. */
  readonly #reserved = new Map<string, number>();
  readonly #mutex = new Mutex();

  /** @param command the fallocate program */
  constructor(folder: string, command = 'fallocate') {
    this.#folder = folder;
    this.#command = command;
  }

  async free(): Promise<{ free_bytes: number; total_bytes: number }> {
    const { bavail, blocks, bsize } = await statfs(this.#folder);
    return { free_bytes: bavail * bsize, total_bytes: blocks * bsize };
  }

  reserve(path: string, bytes: number): Promise<void> {
    return this.#mutex.run(() => this.#reserve(path, bytes));
  }

  async #reserve(path: string, bytes: number): Promise<void> {
    const missing = Math.max(0, bytes - ((await allocated(path)) ?? 0));
    const { free_bytes } = await this.free();
    const available = Math.max(0, free_bytes - (await this.#reservedByOthers(path)) - RESERVE_BYTES);
    if (missing > available || !(await this.#allocate(path, bytes))) {
      const message = `The upload needs ${missing} bytes; ${available} are available.`;
      const details = { needed_bytes: missing, available_bytes: available };
      throw new ApiError('insufficient_storage', message, details);
    }
    this.#reserved.set(path, bytes);
  }

  /** Bytes that are reserved for other files but not yet allocated on the disk. */
  async #reservedByOthers(path: string): Promise<number> {
    let total = 0;
    for (const [other, bytes] of this.#reserved) {
      if (other === path) continue;
      const present = await allocated(other);
      if (present === undefined || present >= bytes) this.#reserved.delete(other);
      else total += bytes - present;
    }
    return total;
  }

  /** @returns false when the disk is full; true also where preallocation is not supported or fallocate is missing */
  async #allocate(path: string, bytes: number): Promise<boolean> {
    if (bytes === 0) return true;
    try {
      const { code, stderr } = await run(this.#command, ['-l', String(bytes), '--', path], {
        timeoutMs: ALLOCATE_TIMEOUT_MS,
        env: { LC_ALL: 'C' },
      });
      return code === 0 || !DISK_FULL.test(stderr);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return true;
      throw error;
    }
  }
}

/** Bytes of disk space that a file uses; undefined when it does not exist. */
async function allocated(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && found.blocks * BLOCK_BYTES;
}
