/** Chunked uploads of the serial link (interface: Serial transport, binary uploads). */

import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { RESERVE_BYTES } from '../../base/disk-reserve.ts';
import { ApiError, storageError } from '../../contract/errors.ts';
import { type Body, badField, fromBase64, type Target } from './dispatch.ts';

/** Decoded bytes of one chunk (interface: Limits). */
export const MAX_CHUNK_BYTES = 16 * 1024;
/** Uploads that one host may have open at once. */
export const MAX_UPLOADS = 4;
/** How much is written between two looks at the free space. */
const SPACE_CHECK_BYTES = 4 * 1024 * 1024;
/** Bytes received and not yet on disk at which the host has to wait, and below which it goes on. */
const PAUSE_BYTES = 1024 * 1024;
const RESUME_BYTES = 256 * 1024;
/** An upload of which nothing comes is over, in ms. */
const IDLE_MS = 30_000;
/** Ids of uploads that failed, whose chunks may still be on the way. */
const MAX_FAILED = 64;
const SPOOL_FILE = /^upload-[0-9a-f-]{36}$/;

/** What an endpoint takes. */
export interface UploadTarget extends Target {
  contentType: string;
  maxBytes: number | undefined;
}

export interface UploadsOptions {
  /** Folder for what has arrived, on the data partition. */
  folder: string;
  idleMs?: number | undefined;
  /** Answers the request `id` (JSON text) with an error; its upload is gone. */
  fail(id: string, error: ApiError): void;
  /** Hands a complete upload to the app. The stream is the receiver's to destroy. */
  complete(id: string, target: UploadTarget, body: Body): void;
  /** Makes the host wait, or go on. */
  pause(): void;
  resume(): void;
}

interface Upload {
  target: UploadTarget;
  file: Promise<FileHandle>;
  /** The last write so far; rejects when one has failed. */
  written: Promise<void>;
  /** Sequence number that must come next. */
  seq: number;
  bytes: number;
  checkedAt: number;
  timer: NodeJS.Timeout;
}

/**
 * Removes what a crash has left in the folder. Call at start, before any link opens. Never fails: a data partition that
 * cannot be written, as the kernel makes one whose file system is damaged, stops uploads and nothing else.
 */
export async function sweepUploads(folder: string): Promise<void> {
  await makeFolder(folder).catch(() => undefined);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => SPOOL_FILE.test(each))) {
    await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

/** The uploads of one host. Memory is bounded: what arrives goes to a file that has no name any more. */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #open = new Map<string, Upload>();
  /** Their further chunks are ignored up to the last: one answer for one request. */
  readonly #failed = new Set<string>();
  #unwritten = 0;
  #paused = false;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /**
   * A request with an empty `body_b64` begins an upload.
   * @param id the request's id as JSON text
   * @param admitted rejects when the endpoint does not take uploads now; nothing is stored before
   * @throws ApiError `too_many_requests`
   */
  begin(id: string, target: UploadTarget, admitted: Promise<void>): void {
    if (this.#open.size >= MAX_UPLOADS) {
      this.refuse(id);
      throw new ApiError('too_many_requests', `There are ${MAX_UPLOADS} uploads on this link already.`);
    }
    const idleMs = this.#options.idleMs ?? IDLE_MS;
    const timer = setTimeout(() => {
      const message = `The upload was given up: no chunk came for ${idleMs / 1000} s.`;
      this.#fail(id, upload, new ApiError('bad_request', message));
    }, idleMs).unref();
    const file = admitted.then(() => createSpoolFile(this.#options.folder));
    const written = file.then(() => undefined);
    const upload: Upload = { target, file, written, seq: 0, bytes: 0, checkedAt: 0, timer };
    this.#open.set(id, upload);
    this.#failed.delete(id);
    written.catch((error) => this.#fail(id, upload, uploadError(error)));
  }

  /** A request that was refused may have its chunks on the way already. */
  refuse(id: string): void {
    this.#failed.add(id);
    for (const oldest of this.#failed) {
      if (this.#failed.size <= MAX_FAILED) break;
      this.#failed.delete(oldest);
    }
  }

  /** A new request takes the id of an upload whose last chunk never came: that upload is over. */
  supersede(id: string): void {
    this.#failed.delete(id);
    const upload = this.#open.get(id);
    if (!upload) return;
    const message = 'The upload was given up: its last chunk did not come.';
    this.#fail(id, upload, new ApiError('bad_request', message), true);
  }

  /** Takes a `request_chunk` frame. */
  chunk(id: string, frame: Readonly<Record<string, unknown>>): void {
    const upload = this.#open.get(id);
    if (!upload) {
      this.#strayChunk(id, frame.last);
      return;
    }
    try {
      const bytes = checkChunk(upload, frame);
      upload.timer.refresh();
      upload.seq += 1;
      upload.bytes += bytes.length;
      this.#write(id, upload, bytes);
      if (frame.last === true) this.#finish(id, upload);
    } catch (error) {
      this.#fail(
        id,
        upload,
        error instanceof ApiError ? error : new ApiError('internal'),
        frame.last === true,
      );
    }
  }

  #strayChunk(id: string, last: unknown): void {
    if (this.#failed.has(id)) {
      if (last === true) this.#failed.delete(id);
      return;
    }
    if (last !== true) this.refuse(id);
    this.#options.fail(id, new ApiError('bad_request', 'There is no upload with this id.'));
  }

  #write(id: string, upload: Upload, bytes: Buffer): void {
    this.#unwritten += bytes.length;
    if (this.#unwritten > PAUSE_BYTES && !this.#paused) {
      this.#paused = true;
      this.#options.pause();
    }
    const check = upload.bytes - upload.checkedAt >= SPACE_CHECK_BYTES;
    if (check) upload.checkedAt = upload.bytes;
    upload.written = upload.written
      .then(async () => {
        if (check) await requireSpace(this.#options.folder);
        await writeAll(await upload.file, bytes);
      })
      .finally(() => {
        this.#unwritten -= bytes.length;
        if (this.#unwritten < RESUME_BYTES && this.#paused) {
          this.#paused = false;
          this.#options.resume();
        }
      });
    upload.written.catch((error) => this.#fail(id, upload, uploadError(error)));
  }

  #finish(id: string, upload: Upload): void {
    clearTimeout(upload.timer);
    const { target, bytes } = upload;
    const complete = async () => {
      await upload.written;
      const file = await upload.file;
      if (this.#open.get(id) !== upload) return;
      this.#open.delete(id);
      const payload = file.createReadStream({ start: 0, autoClose: true });
      this.#options.complete(id, target, { contentType: target.contentType, payload, length: bytes });
    };
    // A write that failed has been answered already.
    complete().catch(() => undefined);
  }

  /**
   * Ends an upload with an error, unless it has ended: its id may stand for another by now.
   * @param complete no further chunk of it is to come
   */
  #fail(id: string, upload: Upload, error: ApiError, complete = false): void {
    if (this.#open.get(id) !== upload) return;
    this.#discard(id, upload);
    if (!complete) this.refuse(id);
    this.#options.fail(id, error);
  }

  #discard(id: string, upload: Upload): void {
    clearTimeout(upload.timer);
    this.#open.delete(id);
    upload.file.then(
      (file) => upload.written.catch(() => undefined).then(() => file.close()),
      () => undefined,
    );
  }

  /** The host has left: everything it began is thrown away. */
  close(): void {
    for (const [id, upload] of [...this.#open]) this.#discard(id, upload);
    this.#failed.clear();
  }
}

/** @throws ApiError when the chunk is not the next of its upload */
function checkChunk({ seq, bytes, target }: Upload, frame: Readonly<Record<string, unknown>>): Buffer {
  if (typeof frame.last !== 'boolean') throw badField('last', 'must be boolean');
  if (frame.seq !== seq) {
    throw new ApiError('bad_request', `/seq must be ${seq}: chunks come in order, each once.`, {
      expected_seq: seq,
      issues: [{ path: '/seq', message: `must be ${seq}` }],
    });
  }
  const { data_b64: text } = frame;
  if (typeof text !== 'string') throw badField('data_b64', 'must be string');
  const decoded = fromBase64(text);
  if (!decoded) throw badField('data_b64', 'must be base64');
  if (decoded.length > MAX_CHUNK_BYTES) {
    throw new ApiError('payload_too_large', `A chunk may have ${MAX_CHUNK_BYTES} bytes at most.`, {
      max_bytes: MAX_CHUNK_BYTES,
    });
  }
  const { maxBytes } = target;
  if (maxBytes !== undefined && bytes + decoded.length > maxBytes) {
    throw new ApiError('payload_too_large', `The body may have ${maxBytes} bytes at most.`, {
      max_bytes: maxBytes,
    });
  }
  return decoded;
}

/** A file without a name: the system takes it back at close, however that comes about. */
async function createSpoolFile(folder: string): Promise<FileHandle> {
  await makeFolder(folder);
  await requireSpace(folder);
  const path = join(folder, `upload-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path, { force: true });
  return file;
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, null);
    done += bytesWritten;
  }
}

async function requireSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < RESERVE_BYTES) throw new ApiError('insufficient_storage');
}

function uploadError(error: unknown): ApiError {
  const told = storageError(error);
  return told instanceof ApiError ? told : new ApiError('internal');
}
