import type { FileHandle } from 'node:fs/promises';

/** Random access to the bytes of an archive. */
export interface ByteSource {
  /** In bytes. */
  readonly size: number;
  /**
   * Reads exactly `length` bytes; rejects when the source ends before.
   * @param into memory for the answer, at least `length` bytes; the caller leaves it alone until the answer is used
   */
  read(position: number, length: number, into?: Buffer): Promise<Buffer>;
}

/** A part of a source; `end` is exclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** The first `size` bytes of an open file. The caller closes the handle after the last read. */
export function fileSource(handle: FileHandle, size: number): ByteSource {
  return {
    size,
    async read(position, length, into) {
      const buffer = into ? into.subarray(0, length) : Buffer.allocUnsafe(length);
      let done = 0;
      while (done < length) {
        const { bytesRead } = await handle.read(buffer, done, length - done, position + done);
        if (bytesRead === 0) {
          throw new Error(`the file ends at byte ${position + done}, before byte ${position + length}`);
        }
        done += bytesRead;
      }
      return buffer;
    },
  };
}

const MIN_WINDOW_BYTES = 4 * 1024;
const MAX_WINDOW_BYTES = 256 * 1024;

/**
 * Turns many short reads into few: keeps one window of the source in memory, and the longer it is read front to back,
 * the larger the windows. An answer is valid until the next read; a read with `into` goes to the source directly.
 */
export class WindowedSource implements ByteSource {
  readonly size: number;
  readonly #source: ByteSource;
  readonly #memory = Buffer.allocUnsafeSlow(MAX_WINDOW_BYTES);
  #window: Buffer = Buffer.alloc(0);
  #start = 0;
  #length = MIN_WINDOW_BYTES;

  constructor(source: ByteSource) {
    this.size = source.size;
    this.#source = source;
  }

  async read(position: number, length: number, into?: Buffer): Promise<Buffer> {
    if (into || length > MAX_WINDOW_BYTES) return this.#source.read(position, length, into);
    const end = this.#start + this.#window.length;
    if (position < this.#start || position + length > end) {
      const isSequential = position >= this.#start && position - end < this.#length;
      this.#length = isSequential ? Math.min(2 * this.#length, MAX_WINDOW_BYTES) : MIN_WINDOW_BYTES;
      const bytes = Math.max(length, Math.min(this.#length, this.size - position));
      // A failed read may have overwritten a part of the window.
      this.#window = this.#window.subarray(0, 0);
      this.#window = await this.#source.read(position, bytes, this.#memory);
      this.#start = position;
    }
    return this.#window.subarray(position - this.#start, position - this.#start + length);
  }
}

/**
 * Reads a range in blocks, the next one while the caller works on the current one. A block is valid until the next one
 * is asked for: two buffers take turns.
 */
export async function* readAhead(
  source: ByteSource,
  { start, end }: ByteRange,
  blockBytes: number,
): AsyncGenerator<Buffer, void, void> {
  const buffers: (Buffer | undefined)[] = [undefined, undefined];
  const read = (position: number) => {
    buffers.reverse();
    buffers[0] ??= Buffer.allocUnsafeSlow(Math.min(blockBytes, end - start));
    const reading = source.read(position, Math.min(blockBytes, end - position), buffers[0]);
    // A failure is reported when its turn comes; until then it must not count as unhandled.
    reading.catch(() => {});
    return reading;
  };
  let ahead = read(start);
  try {
    for (let next = start + blockBytes; next < end; next += blockBytes) {
      const block = await ahead;
      ahead = read(next);
      yield block;
    }
    yield await ahead;
  } finally {
    // The caller may close the file next, so no read may be under way any more.
    await ahead.catch(() => {});
  }
}
