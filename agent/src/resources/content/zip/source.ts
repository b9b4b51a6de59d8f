import type { FileHandle } from 'node:fs/promises';

/** Random access to the bytes of an archive. */
export interface ByteSource {
  /** Number of bytes. */
  readonly size: number;
  /**
   * Reads exactly `length` bytes; rejects when they are not there.
   * @param into memory that may be used for the answer, at least `length` bytes; the caller keeps it until then
   */
  read(position: number, length: number, into?: Buffer): Promise<Buffer>;
}

/** A part of a source, `end` not included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** The first `size` bytes of an open file. The handle stays the caller's, who closes it after the last read. */
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

/**
 * The bytes of each range, the next one being read while the caller works on this one. What is given out is valid
 * until the next one is asked for: two buffers take turns, whatever the size of the file.
 * @param longest bytes of the longest range
 */
export async function* readAhead(
  source: ByteSource,
  ranges: Iterable<ByteRange>,
  longest: number,
): AsyncGenerator<{ range: ByteRange; bytes: Buffer }> {
  const buffers: [Buffer | undefined, Buffer | undefined] = [undefined, undefined];
  let turn: 0 | 1 = 0;
  const read = (range: ByteRange) => {
    turn = turn === 0 ? 1 : 0;
    buffers[turn] ??= Buffer.allocUnsafeSlow(longest);
    return { range, reading: source.read(range.start, range.end - range.start, buffers[turn]) };
  };
  let ahead: ReturnType<typeof read> | undefined;
  try {
    for (const range of ranges) {
      const current = ahead;
      const bytes = await current?.reading;
      ahead = read(range);
      // Its failure is met when its turn comes; until then it must not count as unhandled.
      ahead.reading.catch(() => {});
      if (current && bytes) yield { range: current.range, bytes };
    }
    const last = ahead;
    ahead = undefined;
    if (last) yield { range: last.range, bytes: await last.reading };
  } finally {
    // The caller may close the file now; a read that is under way must be over.
    await ahead?.reading.catch(() => {});
  }
}
