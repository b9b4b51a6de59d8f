/** Room on the data partition, reserved by util-linux' fallocate(1): Node has no call for it. */
import { stat, statfs } from 'node:fs/promises';
import { RESERVE_BYTES } from '../base/disk-reserve.ts';
import { errorCode } from '../base/system-error.ts';
import { ApiError } from '../contract/errors.ts';
import type { DiskSpace } from '../resources/content/ports.ts';
import { run } from './processes.ts';

/** An allocation writes a few extents, no data; past this the disk hangs, in ms. */
const ALLOCATE_TIMEOUT_MS = 30_000;
/** What stat counts blocks in, whatever the file system's own are. */
const BLOCK_BYTES = 512;
const NO_ROOM = /No space left|quota exceeded|File too large/i;

/**
 * The file system that a folder is on. Beside what it allocates for real, it keeps account of what it has promised:
 * where the file system cannot allocate ahead (EOPNOTSUPP), that alone keeps two uploads from the same room.
 */
export class FileSystemSpace implements DiskSpace {
  readonly #folder: string;
  readonly #command: string;
  readonly #promised = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();

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
    const turn = this.#last.then(() => this.#reserve(path, bytes));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #reserve(path: string, bytes: number): Promise<void> {
    const missing = Math.max(0, bytes - ((await allocated(path)) ?? 0));
    const owed = await this.#owedToOthers(path);
    const { free_bytes } = await this.free();
    const available = Math.max(0, free_bytes - owed - RESERVE_BYTES);
    if (missing > available) throw noRoom(missing, available);
    if (!(await this.#allocate(path, bytes))) throw noRoom(missing, available);
    this.#promised.set(path, bytes);
  }

  /** What other files were promised and have not got yet. */
  async #owedToOthers(path: string): Promise<number> {
    let owed = 0;
    for (const [other, bytes] of this.#promised) {
      if (other === path) continue;
      const got = await allocated(other);
      if (got === undefined || got >= bytes) this.#promised.delete(other);
      else owed += bytes - got;
    }
    return owed;
  }

  /** False when there is no room; true as well where the file system, or the system, cannot allocate ahead. */
  async #allocate(path: string, bytes: number): Promise<boolean> {
    if (bytes === 0) return true;
    try {
      const { code, stderr } = await run(this.#command, ['-l', String(bytes), '--', path], {
        timeoutMs: ALLOCATE_TIMEOUT_MS,
        env: { LC_ALL: 'C' },
      });
      return code === 0 || !NO_ROOM.test(stderr);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return true;
      throw error;
    }
  }
}

/** Bytes of the disk that a file has; undefined when it is gone. */
async function allocated(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && found.blocks * BLOCK_BYTES;
}

function noRoom(needed: number, available: number): ApiError {
  return new ApiError('insufficient_storage', `The upload needs ${needed} bytes; ${available} can be used.`, {
    needed_bytes: needed,
    available_bytes: available,
  });
}
