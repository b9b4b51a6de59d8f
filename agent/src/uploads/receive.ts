/** Receives the body of an upload from any link, hashed and checked while it arrives. */
import { createHash } from 'node:crypto';
import { finished, type Readable, Writable } from 'node:stream';
import { ApiError } from '../contract/errors.ts';

/** Received bytes at which the progress of a body of unknown length reaches one half. */
const HALF_PROGRESS_BYTES = 2 * 1024 * 1024;

/**
 * A body of which fewer bytes arrive in this time is ended: a client that sends a byte now and then would keep others from
 * uploading. The serial link is a hundred times as fast. Time in which the sink is slow does not count.
 */
const SLOWEST = { bytes: 64 * 1024, ms: 60_000 };
const PACE_CHECK_MS = 5000;

/** Where the bytes of an upload go. */
export interface UploadSink {
  /**
   * Takes the next bytes. Called again only when the promise has settled; the memory of `bytes` may be freed then.
   * @throws ApiError `insufficient_storage`; Error of the system
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Called once, after the last byte. Rejects as `write` does. */
  end(): Promise<void>;
}

export interface ReceiveOptions {
  /** Body length in bytes that the client announced, if any. */
  announced?: number | undefined;
  /** Checks the first bytes, so that a file of the wrong kind is refused before the rest arrives. */
  inspectStart?: {
    /** How many bytes `inspect` needs for its final decision. */
    bytes: number;
    /**
     * Called for each chunk until `bytes` have arrived; throws to refuse the upload.
     * @param start at most `bytes` bytes, fewer while no more have arrived
     */
    inspect(start: Buffer): void;
  };
  /**
   * Called after each chunk.
   * @param fraction 0 to 1; of a body of unknown length it approaches 1 ever more slowly
   * @param bytes that have arrived
   */
  progress?: (fraction: number, bytes: number) => void;
  /** Stops receiving; `receive` then throws the signal's reason. */
  signal?: AbortSignal;
}

export interface Received {
  /** In bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

/**
 * Reads a body to its end into `sink`. Holds one chunk besides what stream and sink buffer; a slow sink pauses the body.
 * The body is not destroyed on failure: destroying a request closes its connection before it is answered, and the link
 * discards the rest. When this settles, no call of the sink is pending.
 * @throws ApiError `bad_request` when the body breaks off, is too slow or differs from its announced length; what `sink` and
 *   `inspectStart` throw; the reason of `signal`
 */
export async function receive(
  body: Readable,
  sink: UploadSink,
  options: ReceiveOptions = {},
): Promise<Received> {
  const hash = createHash('sha256');
  const size = await receiveUnhashed(body, sink, options, (chunk) => hash.update(chunk));
  return { size, sha256: hash.digest('hex') };
}

/**
 * As `receive`, for a body that has a checksum of its own.
 * @param seen called with each chunk before it is written
 * @returns the size in bytes
 */
export async function receiveUnhashed(
  body: Readable,
  sink: UploadSink,
  options: ReceiveOptions = {},
  seen: (chunk: Uint8Array) => void = () => undefined,
): Promise<number> {
  const { announced, inspectStart, progress, signal } = options;
  let size = 0;
  let start = Buffer.alloc(0);
  await forEachChunk(body, signal, async (chunk) => {
    size += chunk.length;
    if (announced !== undefined && size > announced) throw wrongLength(announced, 'more');
    if (inspectStart && start.length < inspectStart.bytes) {
      start = Buffer.concat([start, chunk.subarray(0, inspectStart.bytes - start.length)]);
      inspectStart.inspect(start);
    }
    seen(chunk);
    await sink.write(chunk);
    progress?.(size / (announced ?? size + HALF_PROGRESS_BYTES), size);
  });
  if (announced !== undefined && size < announced) throw wrongLength(announced, 'fewer');
  await sink.end();
  return size;
}

/**
 * The whole of a small body.
 * @param maxBytes largest body, in bytes
 * @throws ApiError `payload_too_large` as soon as more arrives; `bad_request` when the body breaks off or is too slow
 */
export async function receiveToMemory(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  await forEachChunk(body, undefined, async (chunk) => {
    size += chunk.length;
    if (size > maxBytes) throw payloadTooLarge(maxBytes);
    chunks.push(Buffer.from(chunk));
  });
  return Buffer.concat(chunks);
}

/** Error for a body of more than `maxBytes` bytes. */
export function payloadTooLarge(maxBytes: number): ApiError {
  const message = `The body may have ${maxBytes} bytes at most.`;
  return new ApiError('payload_too_large', message, { max_bytes: maxBytes });
}

/** Error for a body that ends before its last byte. */
export function brokenOff(): ApiError {
  return new ApiError('bad_request', 'The body broke off before its end.');
}

/** Calls `take` with one chunk after the other; after its promise has settled the chunk's memory may be freed. */
async function forEachChunk(
  body: Readable,
  signal: AbortSignal | undefined,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  signal?.throwIfAborted();
  // The request of an injected body that broke off before tells nobody who listens later.
  if (body.readableAborted) throw brokenOff();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const freesChunks = body instanceof process.getBuiltinModule('node:http').IncomingMessage;
  const pace = new Pace();
  const paceTimer = setInterval(() => {
    if (pace.isTooSlow()) reject(new ApiError('bad_request', 'The body arrives too slowly.'));
  }, PACE_CHECK_MS).unref();
  let taking = Promise.resolve();
  // In object mode the limit counts chunks, so that `pipe` pauses the body after each.
  const target = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write(chunk: Uint8Array, _encoding, done) {
      pace.arrived(chunk.length);
      taking = take(chunk);
      taking.then(() => {
        pace.waits();
        if (freesChunks) free(chunk);
        done();
      }, reject);
    },
  }).once('finish', resolve);
  const stopWatching = finished(body, { writable: false }, (error) => {
    if (error) reject(brokenOff());
  });
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    body.pipe(target);
    await promise;
  } finally {
    clearInterval(paceTimer);
    signal?.removeEventListener('abort', abort);
    stopWatching();
    body.unpipe(target);
    await taking.catch(() => undefined);
  }
}

/** How fast a body arrives while it is waited for. */
class Pace {
  #bytes = 0;
  /** Without the present wait, in ms. */
  #waited = 0;
  /** When the present wait began; undefined while a chunk is taken. */
  #since: number | undefined = performance.now();

  waits(): void {
    this.#since = performance.now();
  }

  arrived(bytes: number): void {
    this.#waited = this.#total();
    this.#since = undefined;
    this.#bytes += bytes;
    if (this.#bytes < SLOWEST.bytes) return;
    this.#bytes = 0;
    this.#waited = 0;
  }

  isTooSlow(): boolean {
    return this.#total() > SLOWEST.ms;
  }

  #total(): number {
    return this.#waited + (this.#since === undefined ? 0 : performance.now() - this.#since);
  }
}

/**
 * Frees the memory of a chunk of an HTTP request at once; nothing else refers to it. The garbage collector would free it
 * too late: V8 waits for about 60 MB of such buffers.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function wrongLength(announced: number, arrived: 'more' | 'fewer'): ApiError {
  return new ApiError('bad_request', `The body has ${arrived} than the announced ${announced} bytes.`);
}
