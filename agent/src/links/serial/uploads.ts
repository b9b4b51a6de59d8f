/** Chunked uploads of the serial link (interface: Serial transport, binary uploads). */
import { Readable } from 'node:stream';
import { ApiError } from '../../contract/errors.ts';
import { badField, fromBase64 } from './dispatch.ts';

/** Decoded bytes of one chunk (interface: Limits). */
export const MAX_CHUNK_BYTES = 16 * 1024;
/** Uploads that one host may have open at once. */
export const MAX_UPLOADS = 4;
/** Bytes of all uploads that no handler has taken yet, at which the host has to wait, and below which it goes on. */
const PAUSE_BYTES = 1024 * 1024;
const RESUME_BYTES = 256 * 1024;
/** An upload of which nothing comes is over, in ms. */
const IDLE_MS = 30_000;
/** Ids of uploads that failed, whose chunks may still be on the way. */
const MAX_FAILED = 64;

export interface UploadsOptions {
  idleMs?: number | undefined;
  /** Answers the request `id` (JSON text) with an error; its upload is over. */
  fail(id: string, error: ApiError): void;
  /** Makes the host wait, or go on. */
  pause(): void;
  resume(): void;
  /** Whether the host waits, for whatever reason: it cannot send chunks then. */
  isPaused(): boolean;
}

/** One upload: the request's body, as a stream into which the chunks go. */
export class Upload {
  readonly body: Readable;
  /** Largest body that its endpoint takes, in bytes. */
  readonly maxBytes: number | undefined;
  /** Sequence number that must come next. */
  seq = 0;
  /** Received so far. */
  bytes = 0;
  /** It has been answered with an error before the app has answered. */
  failed = false;
  timer: NodeJS.Timeout | undefined;
  #waiting: Buffer[] = [];
  #wanted = false;
  #ended = false;
  readonly #taken: (bytes: number) => void;

  /** @param taken told when the body's reader has taken bytes */
  constructor(maxBytes: number | undefined, taken: (bytes: number) => void) {
    this.maxBytes = maxBytes;
    this.#taken = taken;
    this.body = new Readable({
      highWaterMark: MAX_CHUNK_BYTES,
      read: () => {
        this.#wanted = true;
        this.#move();
      },
    });
    // Whoever reads it is told as well.
    this.body.on('error', () => undefined);
  }

  push(bytes: Buffer): void {
    // An empty chunk in a stream tells nothing.
    if (bytes.length > 0) this.#waiting.push(bytes);
    this.#move();
  }

  end(): void {
    this.#ended = true;
    this.#move();
  }

  /** Nobody reads on. @param error for a reader that still does */
  stop(error?: Error): void {
    this.body.destroy(error);
    for (const bytes of this.#waiting.splice(0)) this.#taken(bytes.length);
  }

  #move(): void {
    while (this.#wanted && !this.body.destroyed) {
      const bytes = this.#waiting.shift();
      if (!bytes) {
        if (this.#ended) this.body.push(null);
        return;
      }
      // A reader may ask for more within `push`.
      this.#wanted = false;
      if (this.body.push(bytes)) this.#wanted = true;
      this.#taken(bytes.length);
    }
  }
}

/** The uploads of one host. Memory is bounded: a host that is quicker than the handler of its upload has to wait. */
export class Uploads {
  readonly #options: UploadsOptions;
  /** Those whose last chunk has not come. */
  readonly #open = new Map<string, Upload>();
  /** Their further chunks are ignored up to the last: one answer for one request. */
  readonly #failed = new Set<string>();
  #untaken = 0;
  #paused = false;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /**
   * A request with an empty `body_b64` begins an upload.
   * @param id the request's id as JSON text
   * @throws ApiError `too_many_requests`
   */
  begin(id: string, maxBytes: number | undefined): Upload {
    if (this.#open.size >= MAX_UPLOADS) {
      throw new ApiError('too_many_requests', `There are ${MAX_UPLOADS} uploads on this link already.`);
    }
    const upload = new Upload(maxBytes, (bytes) => this.#count(-bytes));
    upload.timer = setTimeout(() => this.#idle(id, upload), this.#idleMs).unref();
    this.#open.set(id, upload);
    this.#failed.delete(id);
    return upload;
  }

  get #idleMs(): number {
    return this.#options.idleMs ?? IDLE_MS;
  }

  #idle(id: string, upload: Upload): void {
    if (this.#options.isPaused()) {
      upload.timer?.refresh();
      return;
    }
    const message = `The upload was given up: no chunk came for ${this.#idleMs / 1000} s.`;
    this.#fail(id, upload, new ApiError('bad_request', message));
  }

  /** A request that was refused may have its chunks on the way already. */
  refuse(id: string): void {
    this.#failed.add(id);
    for (const oldest of this.#failed) {
      if (this.#failed.size <= MAX_FAILED) break;
      this.#failed.delete(oldest);
    }
  }

  /** The app has answered: chunks that are still to come are ignored. */
  answered(id: string, upload: Upload): void {
    if (this.#open.get(id) === upload) {
      this.#forget(id, upload);
      this.refuse(id);
    }
    upload.stop();
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
      upload.timer?.refresh();
      upload.seq += 1;
      upload.bytes += bytes.length;
      this.#count(bytes.length);
      upload.push(bytes);
      if (frame.last !== true) return;
      this.#forget(id, upload);
      upload.end();
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError('internal');
      this.#fail(id, upload, known, frame.last === true);
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

  /** @param change of the bytes that no handler has taken */
  #count(change: number): void {
    this.#untaken += change;
    if (this.#paused ? this.#untaken >= RESUME_BYTES : this.#untaken <= PAUSE_BYTES) return;
    this.#paused = !this.#paused;
    if (this.#paused) this.#options.pause();
    else this.#options.resume();
  }

  /**
   * Ends an upload with an error; its handler finds the body broken off.
   * @param complete no further chunk of it is to come
   */
  #fail(id: string, upload: Upload, error: ApiError, complete = false): void {
    this.#forget(id, upload);
    if (!complete) this.refuse(id);
    upload.failed = true;
    upload.stop(error);
    this.#options.fail(id, error);
  }

  #forget(id: string, upload: Upload): void {
    clearTimeout(upload.timer);
    this.#open.delete(id);
  }

  /** The host has left: what it has not sent to its end breaks off. */
  close(): void {
    for (const [id, upload] of [...this.#open]) {
      this.#forget(id, upload);
      upload.failed = true;
      upload.stop(new Error('the host has left'));
    }
    this.#failed.clear();
  }
}

/** @throws ApiError when the chunk is not the next of its upload */
function checkChunk({ seq, bytes, maxBytes }: Upload, frame: Readonly<Record<string, unknown>>): Buffer {
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
  if (maxBytes !== undefined && bytes + decoded.length > maxBytes) {
    throw new ApiError('payload_too_large', `The body may have ${maxBytes} bytes at most.`, {
      max_bytes: maxBytes,
    });
  }
  return decoded;
}
