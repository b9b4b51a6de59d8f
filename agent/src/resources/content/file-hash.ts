/** SHA-256 of archives that lie on the disk. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { type ByteSource, fileSource } from './zip/source.ts';

/** Bytes read at a time. */
const BLOCK_BYTES = 256 * 1024;

/** SHA-256 of a whole file as hex. @throws Error of the system; the reason of `signal` */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const handle = await open(path, 'r');
  try {
    return await new HashingSource(handle, (await handle.stat()).size).sha256(signal);
  } finally {
    await handle.close();
  }
}

/** A file's bytes, hashed while somebody reads them from front to back, so that they are read once. */
export class HashingSource implements ByteSource {
  readonly size: number;
  readonly #source: ByteSource;
  readonly #hash = createHash('sha256');
  /** All bytes before this one are in the hash. */
  #hashed = 0;

  constructor(handle: FileHandle, size: number) {
    this.size = size;
    this.#source = fileSource(handle, size);
  }

  async read(position: number, length: number, into?: Buffer): Promise<Buffer> {
    const bytes = await this.#source.read(position, length, into);
    const end = position + bytes.length;
    if (position <= this.#hashed && end > this.#hashed) {
      this.#hash.update(bytes.subarray(this.#hashed - position));
      this.#hashed = end;
    }
    return bytes;
  }

  /** As hex; reads what nobody has read yet. Ask once. @throws Error of the system; the reason of `signal` */
  async sha256(signal?: AbortSignal): Promise<string> {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, this.size));
    while (this.#hashed < this.size) {
      signal?.throwIfAborted();
      await this.read(this.#hashed, Math.min(block.length, this.size - this.#hashed), block);
    }
    return this.#hash.digest('hex');
  }
}
