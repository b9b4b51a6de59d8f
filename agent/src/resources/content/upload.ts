/** Receives an archive into a temporary file: room first, bounded memory, SHA-256 on the way. */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError, storageError } from '../../contract/errors.ts';
import type { DiskSpace } from './ports.ts';
import { checkStart, START_BYTES } from './zip/end-records.ts';

/** What is written at once; of two such blocks one fills while the other is being written. */
const BLOCK_BYTES = 512 * 1024;
/** How much room is taken at a time while the length is not known. */
const STEP_BYTES = 16 * 1024 * 1024;
/** After so much the disk is asked to keep what it got, so that little is left to do at the end. */
const FLUSH_BYTES = 16 * 1024 * 1024;

export interface UploadOptions {
  folder: string;
  /** Of the file that it is to become. */
  fileName: string;
  /** Length that the client announced, in bytes. */
  announced: number | undefined;
  disk: DiskSpace;
}

/** An archive on its way in. Ends with `discard`, or with `keep` once it has been received and verified. */
export class Upload {
  /** The temporary file. */
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #options: UploadOptions;
  #reserved: number;
  #size = 0;
  #sha256 = '';
  #flushed: Promise<void> = Promise.resolve();
  #flushing = false;

  private constructor(path: string, handle: FileHandle, options: UploadOptions) {
    this.path = path;
    this.#handle = handle;
    this.#options = options;
    this.#reserved = options.announced ?? 0;
  }

  /**
   * Makes the file and takes the whole room of an announced length.
   * @throws ApiError `insufficient_storage`; there is no file then
   */
  static async open(options: UploadOptions): Promise<Upload> {
    const name = `.${options.fileName}.${randomBytes(6).toString('hex')}.tmp`;
    const path = join(options.folder, name);
    const handle = await open(path, 'wx+', 0o644).catch((error: unknown) => {
      throw storageError(error);
    });
    const upload = new Upload(path, handle, options);
    try {
      if (options.announced !== undefined) await options.disk.reserve(path, options.announced);
      return upload;
    } catch (error) {
      await upload.discard();
      throw error;
    }
  }

  get handle(): FileHandle {
    return this.#handle;
  }

  /** In bytes, once received. */
  get size(): number {
    return this.#size;
  }

  /** As hex, once received. */
  get sha256(): string {
    return this.#sha256;
  }

  /**
   * Reads a body to its end into the file. The body is not destroyed when this fails: a request that is destroyed takes
   * its connection, and the answer, with it; its link reads the rest away.
   * @param progress is told the bytes that have arrived
   * @throws ApiError `insufficient_storage`; `bad_request` when the body breaks off or has another length than announced;
   *   ZipError at the first bytes when they are no archive's
   */
  async receive(body: Readable, progress: (bytes: number) => void): Promise<void> {
    const { announced } = this.#options;
    const hash = createHash('sha256');
    const isOurs = body instanceof process.getBuiltinModule('node:http').IncomingMessage;
    let start = Buffer.alloc(0);
    let block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    let spare = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    let filled = 0;
    let position = 0;
    let written: Promise<void> = Promise.resolve();
    const writeOut = async () => {
      await written;
      await this.#require(position + filled);
      written = this.#write(block.subarray(0, filled), position);
      // Looked at before the next write; until then it may fail unseen.
      written.catch(() => undefined);
      position += filled;
      filled = 0;
      [block, spare] = [spare, block];
    };
    try {
      for await (const chunk of chunksOf(body)) {
        this.#size += chunk.length;
        if (announced !== undefined && this.#size > announced) throw wrongLength(announced, 'more');
        if (start.length < START_BYTES) {
          start = Buffer.concat([start, chunk.subarray(0, START_BYTES - start.length)]);
          checkStart(start);
        }
        hash.update(chunk);
        for (let taken = 0; taken < chunk.length; ) {
          const part = chunk.subarray(taken, taken + BLOCK_BYTES - filled);
          block.set(part, filled);
          filled += part.length;
          taken += part.length;
          if (filled === BLOCK_BYTES) await writeOut();
        }
        if (isOurs) release(chunk);
        progress(this.#size);
      }
      if (announced !== undefined && this.#size < announced) throw wrongLength(announced, 'less');
      if (filled > 0) await writeOut();
      await written;
    } finally {
      // The file is closed by whoever handles the failure, not under a write.
      await written.catch(() => undefined);
    }
    this.#sha256 = hash.digest('hex');
    // Room taken in steps reaches past the end.
    if (this.#reserved > this.#size) await this.#onDisk(this.#handle.truncate(this.#size));
  }

  /** Brings the file to the disk. @throws ApiError `insufficient_storage`; Error of the system */
  async sync(): Promise<void> {
    await this.#flushed;
    await this.#onDisk(this.#handle.sync());
  }

  /** Closes the file, which stays under its temporary name. */
  async keep(): Promise<void> {
    await this.#flushed.catch(() => undefined);
    await this.#handle.close();
  }

  /** Closes the file and removes it; one that cannot be removed is swept at the next start. Never rejects. */
  async discard(): Promise<void> {
    await this.#flushed.catch(() => undefined);
    await this.#handle.close().catch(() => undefined);
    await rm(this.path, { force: true }).catch(() => undefined);
  }

  async #require(bytes: number): Promise<void> {
    if (bytes <= this.#reserved) return;
    const next = this.#reserved + STEP_BYTES;
    await this.#options.disk.reserve(this.path, next);
    this.#reserved = next;
  }

  async #write(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const writing = this.#handle.write(bytes, done, bytes.length - done, position + done);
      done += (await this.#onDisk(writing)).bytesWritten;
    }
    const end = position + bytes.length;
    if (!this.#flushing && end % FLUSH_BYTES < bytes.length) this.#flush();
  }

  /** The system tells a failed write-back once: it is kept for `sync`. */
  #flush(): void {
    this.#flushing = true;
    this.#flushed = this.#flushed.then(() => this.#onDisk(this.#handle.datasync()));
    this.#flushed.then(
      () => {
        this.#flushing = false;
      },
      () => undefined,
    );
  }

  async #onDisk<T>(action: Promise<T>): Promise<T> {
    try {
      return await action;
    } catch (error) {
      throw storageError(error);
    }
  }
}

/**
 * Gives the memory of a chunk of an HTTP request's body back at once; nobody else has one. Collecting it would come too
 * late: V8 waits for some 60 MB of such garbage.
 */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

async function* chunksOf(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('the body is no stream of bytes');
      yield chunk;
    }
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw new ApiError('bad_request', 'The body broke off before its end.');
  }
}

function wrongLength(announced: number, arrived: 'more' | 'less'): ApiError {
  return new ApiError(
    'bad_request',
    `The body has ${arrived} than the ${announced} bytes that were announced.`,
  );
}
