import { setImmediate as nextTurn } from 'node:timers/promises';
import type { InflateRaw } from 'node:zlib';
import type { ZipEntry } from './central.ts';
import { entryError } from './zip-error.ts';

/** Entries up to these sizes are inflated in one go, which takes about half a millisecond at most. */
const SMALL_COMPRESSED_BYTES = 64 * 1024;
const SMALL_BYTES = 256 * 1024;
/** Bytes that may be unpacked before the event loop gets its turn. */
const BYTES_PER_TURN = 512 * 1024;
/** What making an engine for an entry costs, and what it costs to look at a stored one. */
const ENGINE_COST = 10 * 1024;
const STORED_COST = 1024;
const CHUNK_BYTES = 128 * 1024;

const DATA_ERRORS = ['Z_DATA_ERROR', 'Z_BUF_ERROR', 'Z_NEED_DICT'];

/** Loading it takes 3 ms, which the start of the agent does without. */
const zlib = () => process.getBuiltinModule('node:zlib');

/**
 * Gives memory back at once that zlib allocated and is done with. Collecting it would come too late: V8 waits for some
 * 60 MB of such garbage.
 * @param chunkSize what the engine was told; up to `Buffer.poolSize` it may have taken a part of Node's pool
 */
function release(memory: ArrayBufferLike, chunkSize: number): void {
  if (chunkSize <= Buffer.poolSize || memory.byteLength !== chunkSize) return;
  if (memory instanceof ArrayBuffer) memory.transfer(0);
}

/** Takes an entry's data piece by piece and compares what it unpacks to with the size and the CRC-32. */
export interface ContentCheck {
  /** What this entry takes of the event loop's time, in bytes to unpack. */
  readonly cost: number;
  /** The piece may be overwritten once `finish` follows or the promise has resolved. */
  write(data: Buffer): Promise<void> | void;
  finish(): Promise<void> | void;
  /** Gives up what is held; fine after `finish` too. */
  stop(): void;
}

/**
 * The way of checking that suits the entry.
 * @param signal also looked at within a piece: a few bytes may unpack to a thousand times as many
 */
export function contentCheck(entry: ZipEntry, signal?: AbortSignal): ContentCheck {
  if (entry.method === 'stored') return new StoredCheck(entry);
  if (entry.compressedBytes <= SMALL_COMPRESSED_BYTES && entry.bytes <= SMALL_BYTES) {
    return new SmallCheck(entry);
  }
  return new StreamedCheck(entry, signal);
}

/** Gives the event loop its turn when enough has been done at once. */
export class Pace {
  #spent = 0;

  /** @returns what to wait for, if it is time */
  spend(cost: number): Promise<void> | undefined {
    this.#spent += cost;
    if (this.#spent < BYTES_PER_TURN) return undefined;
    this.#spent = 0;
    return nextTurn();
  }
}

const damaged = (entry: ZipEntry) => entryError(entry.name, 'is damaged: its data cannot be unpacked');
const tooLong = (entry: ZipEntry) => entryError(entry.name, 'unpacks to more than the size it claims');
const trailing = (entry: ZipEntry) => entryError(entry.name, 'has bytes after the end of its packed data');

function compare(entry: ZipEntry, bytes: number, crc: number): void {
  if (bytes > entry.bytes) throw tooLong(entry);
  if (bytes < entry.bytes) throw entryError(entry.name, 'unpacks to less than the size it claims');
  if (crc !== entry.crc32) throw entryError(entry.name, 'is damaged: its CRC-32 does not match');
}

class StoredCheck implements ContentCheck {
  // The pieces come one by one as they are read, so only their number counts.
  readonly cost = STORED_COST;
  readonly #entry: ZipEntry;
  #bytes = 0;
  #crc = 0;

  constructor(entry: ZipEntry) {
    this.#entry = entry;
  }

  write(data: Buffer): void {
    this.#crc = zlib().crc32(data, this.#crc);
    this.#bytes += data.length;
  }

  finish(): void {
    compare(this.#entry, this.#bytes, this.#crc);
  }

  stop(): void {}
}

class SmallCheck implements ContentCheck {
  readonly cost: number;
  readonly #entry: ZipEntry;
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  constructor(entry: ZipEntry) {
    this.#entry = entry;
    this.cost = ENGINE_COST + entry.bytes;
  }

  write(data: Buffer): void {
    this.#bytes += data.length;
    // The last part, which is mostly the only one, is not copied: `finish` follows at once.
    this.#parts.push(this.#bytes === this.#entry.compressedBytes ? data : Buffer.from(data));
  }

  finish(): void {
    const data = this.#parts.length === 1 ? this.#parts[0] : undefined;
    const unpacked = unpack(data ?? Buffer.concat(this.#parts), this.#entry);
    const { length } = unpacked;
    const crc = zlib().crc32(unpacked);
    release(unpacked.buffer, chunkSizeFor(this.#entry));
    compare(this.#entry, length, crc);
  }

  stop(): void {}
}

function unpack(data: Buffer, entry: ZipEntry): Buffer {
  const { buffer, consumed } = inflate(data, entry);
  if (consumed !== data.length) throw trailing(entry);
  return buffer;
}

/** Room for one byte too many, so that everything comes out in one go, in memory that is not of Node's pool. */
function chunkSizeFor(entry: ZipEntry): number {
  return Math.max(Buffer.poolSize, entry.bytes) + 1;
}

function inflate(data: Buffer, entry: ZipEntry): { buffer: Buffer; consumed: number } {
  try {
    const options = { info: true, chunkSize: chunkSizeFor(entry), maxOutputLength: entry.bytes + 1 };
    const result: unknown = zlib().inflateRawSync(data, options);
    return consumedBy(result);
  } catch (error) {
    throw reasonOf(error, entry);
  }
}

/** What zlib's error says of the entry; the error itself when it is about something else, as memory. */
function reasonOf(error: unknown, entry: ZipEntry): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ERR_BUFFER_TOO_LARGE') return tooLong(entry);
  return DATA_ERRORS.some((code) => code === error.code) ? damaged(entry) : error;
}

/** With `info`, the answer has the engine beside the bytes, which Node's types leave out. */
function consumedBy(result: unknown): { buffer: Buffer; consumed: number } {
  if (typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result) {
    const { buffer, engine } = result;
    if (
      Buffer.isBuffer(buffer) &&
      typeof engine === 'object' &&
      engine !== null &&
      'bytesWritten' in engine
    ) {
      return { buffer, consumed: Number(engine.bytesWritten) };
    }
  }
  throw new Error('zlib answered in a form that is not known');
}

class StreamedCheck implements ContentCheck {
  // Works in another thread.
  readonly cost = 0;
  readonly #entry: ZipEntry;
  readonly #signal: AbortSignal | undefined;
  readonly #engine: InflateRaw;
  #fed = 0;
  #bytes = 0;
  #crc = 0;
  #failure: { reason: unknown } | undefined;
  #ended = false;
  /** Settles the write or the end that is waited for. */
  #settle: (() => void) | undefined;

  constructor(entry: ZipEntry, signal?: AbortSignal) {
    this.#entry = entry;
    this.#signal = signal;
    this.#engine = zlib().createInflateRaw({ chunkSize: CHUNK_BYTES });
    this.#engine.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#engine.on('error', (error) => this.#fail(reasonOf(error, entry)));
    this.#engine.on('end', () => {
      this.#ended = true;
      this.#settle?.();
    });
  }

  async write(data: Buffer): Promise<void> {
    this.#fed += data.length;
    if (!this.#ended) {
      await this.#until((done) => this.#engine.write(data, done));
    }
    if (this.#engine.bytesWritten !== this.#fed) throw trailing(this.#entry);
  }

  async finish(): Promise<void> {
    if (!this.#ended) await this.#until(() => this.#engine.end());
    compare(this.#entry, this.#bytes, this.#crc);
  }

  stop(): void {
    this.#engine.destroy();
  }

  #take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#crc = zlib().crc32(chunk, this.#crc);
    // Only a full one: zlib goes on filling the others.
    if (chunk.byteOffset + chunk.length === CHUNK_BYTES) release(chunk.buffer, CHUNK_BYTES);
    if (this.#signal?.aborted) this.#fail(this.#signal.reason);
    else if (this.#bytes > this.#entry.bytes) this.#fail(tooLong(this.#entry));
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#engine.destroy();
    this.#settle?.();
  }

  async #until(start: (done: () => void) => void): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#settle = resolve;
      if (this.#failure) resolve();
      else start(resolve);
    });
    this.#settle = undefined;
    if (this.#failure) throw this.#failure.reason;
  }
}
