/** SHA-256 of stored archives. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { type ByteSource, fileSource } from './zip/source.ts';

/** Bytes read at a time. */
const BLOCK_BYTES = 256 * 1024;
/** Longest gap between two reads that is read for the hash: a local header fits in. */
const MAX_GAP_BYTES = 4 * 1024;

/** SHA-256 of a whole file as hex. @throws Error of the system; the reason of `signal` */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    return await new HashingSource(fileSource(handle, size)).sha256(signal);
  } finally {
    await handle.close();
  }
}

/** Hashes the bytes of a source while they are read from front to back, so that they need not be read twice. */
export class HashingSource implements ByteSource {
  readonly size: number;
  readonly #source: ByteSource;
  readonly #hash = createHash('sha256');
  /** All bytes before this position are in the hash. */
  #hashed = 0;

  constructor(source: ByteSource) {
    this.size = source.size;
    this.#source = source;
  }

  async read(position: number, length: number, into?: Buffer): Promise<Buffer> {
    const gap = position - this.#hashed;
    if (gap > 0 && gap <= MAX_GAP_BYTES) {
      const start = this.#hashed;
      this.#add(start, await this.#source.read(start, gap));
    }
    const bytes = await this.#source.read(position, length, into);
    this.#add(position, bytes);
    return bytes;
  }

  /** As hex; reads what has not been read yet. Call once. @throws what the source rejects with; the reason of `signal` */
  async sha256(signal?: AbortSignal): Promise<string> {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, this.size));
    while (this.#hashed < this.size) {
      signal?.throwIfAborted();
      await this.read(this.#hashed, Math.min(block.length, this.size - this.#hashed), block);
    }
    return this.#hash.digest('hex');
  }

  #add(position: number, bytes: Buffer): void {
    const end = position + bytes.length;
    if (position > this.#hashed || end <= this.#hashed) return;
    this.#hash.update(bytes.subarray(this.#hashed - position));
    this.#hashed = end;
  }
}
