import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storageError } from '../contract/errors.ts';
import type { DiskSpace } from './ports.ts';
import type { UploadSink } from './receive.ts';

/** Size of a write. There are two such blocks: one is filled while the other is written. */
const BLOCK_BYTES = 512 * 1024;
/** How much space is reserved at a time while the length is unknown. */
const RESERVE_STEP_BYTES = 16 * 1024 * 1024;
/** The file is flushed to the disk after every so many bytes, so that the flush at the end is short. */
const FLUSH_STEP_BYTES = 16 * 1024 * 1024;
const NO_BYTES = Buffer.alloc(0);

export interface TemporaryFileOptions {
  /** Where the file is made; it must exist. */
  folder: string;
  /** Name of the final file, from which the temporary name is made (base/atomic-file.ts TEMPORARY_FILE). */
  fileName: string;
  /** Body length in bytes that the client announced, if any. */
  announced: number | undefined;
  disk: DiskSpace;
}

/**
 * An upload on its way to the disk. Its space is reserved before the bytes are written. The owner ends it with `keep` or
 * `discard`.
 */
export class TemporaryFile implements UploadSink {
  readonly path: string;
  /** For reading what has been received, once `end` has resolved. */
  readonly handle: FileHandle;
  readonly #disk: DiskSpace;
  #reserved = 0;
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #spare = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #filled = 0;
  /** Where the block begins in the file. */
  #position = 0;
  #written: Promise<void> = Promise.resolve();
  #flushed: Promise<void> = Promise.resolve();
  #flushing = false;

  private constructor(path: string, handle: FileHandle, disk: DiskSpace) {
    this.path = path;
    this.handle = handle;
    this.#disk = disk;
  }

  /**
   * Makes the file and reserves the whole announced length.
   * @throws ApiError `insufficient_storage`; the file has been removed then
   */
  static async create({ folder, fileName, announced, disk }: TemporaryFileOptions): Promise<TemporaryFile> {
    const path = join(folder, `.${fileName}.${randomBytes(6).toString('hex')}.tmp`);
    const file = new TemporaryFile(path, await onDisk(open(path, 'wx+', 0o644)), disk);
    try {
      if (announced !== undefined) await file.#reserve(announced);
      return file;
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let taken = 0; taken < bytes.length; ) {
      const part = bytes.subarray(taken, taken + BLOCK_BYTES - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      taken += part.length;
      if (this.#filled === BLOCK_BYTES) await this.#writeBlock();
    }
  }

  async end(): Promise<void> {
    if (this.#filled > 0) await this.#writeBlock();
    await this.#written;
    this.#block = NO_BYTES;
    this.#spare = NO_BYTES;
    // Space reserved in steps reaches past the end of the file.
    if (this.#reserved > this.#position) await onDisk(this.handle.truncate(this.#position));
  }

  /** Flushes the file to the disk. @throws ApiError `insufficient_storage`, `unavailable`; Error of the system */
  async sync(): Promise<void> {
    await this.#flushed;
    await onDisk(this.handle.sync());
  }

  /** Closes the file after `sync`; it stays under its temporary name. */
  async keep(): Promise<void> {
    await this.handle.close();
  }

  /** Closes and removes the file; one that cannot be removed is swept at the next start. Never rejects. */
  async discard(): Promise<void> {
    await Promise.allSettled([this.#written, this.#flushed]);
    await this.handle.close().catch(() => undefined);
    await rm(this.path, { force: true }).catch(() => undefined);
  }

  /** Starts to write the block when the one before has been written. */
  async #writeBlock(): Promise<void> {
    await this.#written;
    const end = this.#position + this.#filled;
    if (end > this.#reserved) await this.#reserve(this.#reserved + RESERVE_STEP_BYTES);
    this.#written = this.#writeAt(this.#block.subarray(0, this.#filled), this.#position);
    // A failure is seen by whoever awaits `#written` next.
    this.#written.catch(() => undefined);
    this.#position = end;
    this.#filled = 0;
    [this.#block, this.#spare] = [this.#spare, this.#block];
  }

  async #reserve(bytes: number): Promise<void> {
    await this.#disk.reserve(this.path, bytes);
    this.#reserved = bytes;
  }

  async #writeAt(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const writing = this.handle.write(bytes, done, bytes.length - done, position + done);
      done += (await onDisk(writing)).bytesWritten;
    }
    const end = position + bytes.length;
    if (!this.#flushing && end % FLUSH_STEP_BYTES < bytes.length) this.#flush();
  }

  /** The system reports a failed write-back once, so it is kept for `sync`. */
  #flush(): void {
    this.#flushing = true;
    this.#flushed = this.#flushed
      .then(() => onDisk(this.handle.datasync()))
      .then(() => {
        this.#flushing = false;
      });
    this.#flushed.catch(() => undefined);
  }
}

async function onDisk<T>(action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (error) {
    throw storageError(error);
  }
}
