/** The content of entries, for verification and serving alike: unpacked, checked, in bounded memory. */
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../../base/system-error.ts';
import { type ByteRange, type ByteSource, readAhead } from './source.ts';
import type { ZipEntry } from './zip-entry.ts';
import { entryError, type ZipError } from './zip-entry.ts';

/** Up to these sizes an entry is unpacked in one call, in about a millisecond; a stream would take longer. */
const SMALL_BYTES = 256 * 1024;
const SMALL_PACKED_BYTES = 64 * 1024;
/** Bytes read at a time, since each read is a round trip to another thread. Two such blocks are in memory. */
const READ_BYTES = 512 * 1024;
const UNPACKED_BYTES = 128 * 1024;

/** Not by `import`: loading it takes 3 ms of the agent's start. */
const zlib = () => process.getBuiltinModule('node:zlib');

/** Chunks of bytes; each is valid until the next one is asked for. */
export type Chunks = AsyncGenerator<Buffer, void, void>;

/**
 * The content of an entry or a part of it. A damaged entry fails before its last byte is given out; in a part that
 * cannot be checked against the CRC-32 damage goes unnoticed.
 * @param range in the unpacked content
 * @param signal stops unpacking, which then fails with the signal's reason
 * @throws ZipError for a damaged entry; whatever the source rejects with
 */
export function entryContent(
  source: ByteSource,
  entry: ZipEntry,
  range: ByteRange = { start: 0, end: entry.bytes },
  signal?: AbortSignal,
): Chunks {
  if (entry.method === 'stored') return storedContent(source, entry, range);
  const isSmall = entry.bytes <= SMALL_BYTES && entry.compressedBytes <= SMALL_PACKED_BYTES;
  return isSmall ? smallContent(source, entry, range) : inflatedContent(source, entry, range, signal);
}

/** The bytes of an entry as they are in the archive. */
export async function* packedContent(
  source: ByteSource,
  { dataStart, compressedBytes }: ZipEntry,
  { start, end }: ByteRange = { start: 0, end: compressedBytes },
): Chunks {
  // Without memory of its own, so that a WindowedSource can answer.
  if (end - start <= SMALL_PACKED_BYTES) yield await source.read(dataStart + start, end - start);
  else yield* readAhead(source, { start: dataStart + start, end: dataStart + end }, READ_BYTES);
}

async function* storedContent(source: ByteSource, entry: ZipEntry, range: ByteRange): Chunks {
  const isWhole = range.start === 0 && range.end === entry.bytes;
  let position = range.start;
  let crc = 0;
  for await (const chunk of packedContent(source, entry, range)) {
    position += chunk.length;
    if (isWhole) crc = zlib().crc32(chunk, crc);
    if (isWhole && position === range.end) checkEnd(entry, position, crc);
    yield chunk;
  }
}

async function* smallContent(source: ByteSource, entry: ZipEntry, { start, end }: ByteRange): Chunks {
  const data = await source.read(entry.dataStart, entry.compressedBytes);
  // Too large for the pool that Node shares between buffers, and with room for one byte too many.
  const chunkSize = Math.max(Buffer.poolSize, entry.bytes) + 1;
  const options = { chunkSize, maxOutputLength: entry.bytes + 1, rejectGarbageAfterEnd: true };
  let content: Buffer;
  try {
    content = zlib().inflateRawSync(data, options);
  } catch (error) {
    throw inflateError(error, entry);
  }
  checkEnd(entry, content.length, zlib().crc32(content));
  yield content.subarray(start, end);
  release(content, chunkSize);
}

/** Unpacks from the start of the entry, since deflate has no other entry point, and drops what precedes the range. */
async function* inflatedContent(
  source: ByteSource,
  entry: ZipEntry,
  { start, end }: ByteRange,
  signal?: AbortSignal,
): Chunks {
  const inflate = zlib().createInflateRaw({ chunkSize: UNPACKED_BYTES, rejectGarbageAfterEnd: true });
  // A failed read destroys `inflate`. Blocks are longer than what it queues, so none is overwritten too early.
  const fed = pipeline(packedContent(source, entry), inflate).catch(() => {});
  let position = 0;
  let crc = 0;
  // One chunk is held back: the last one is given out after the whole entry has been checked.
  let held: Buffer | undefined;
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      crc = zlib().crc32(chunk, crc);
      if (held) {
        if (held.length > 0) yield held;
        releaseFull(held);
      }
      held = chunk.subarray(Math.max(0, start - position), Math.max(0, end - position));
      position += chunk.length;
      if (position > entry.bytes) throw tooLong(entry);
      if (position >= end && end < entry.bytes) break;
    }
    if (position < end || end === entry.bytes) checkEnd(entry, position, crc);
  } catch (error) {
    throw inflateError(error, entry);
  } finally {
    inflate.destroy();
    await fed;
  }
  if (held?.length) yield held;
}

function tooLong(entry: ZipEntry): ZipError {
  return entryError(entry.name, 'unpacks to more than its declared size');
}

function checkEnd(entry: ZipEntry, bytes: number, crc: number): void {
  if (bytes > entry.bytes) throw tooLong(entry);
  if (bytes < entry.bytes) throw entryError(entry.name, 'unpacks to less than its declared size');
  if (crc !== entry.crc32) throw entryError(entry.name, 'is damaged: its CRC-32 does not match');
}

/** The reason behind an error of zlib; any other error itself. */
function inflateError(error: unknown, entry: ZipEntry): unknown {
  const code = errorCode(error);
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLong(entry);
  if (code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END') {
    return entryError(entry.name, 'has bytes after the end of its packed data');
  }
  const isDamaged = code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR' || code === 'Z_NEED_DICT';
  return isDamaged ? entryError(entry.name, 'is damaged: its data cannot be unpacked') : error;
}

/** Only a full chunk: zlib goes on filling the memory of any other. */
function releaseFull(chunk: Buffer): void {
  if (chunk.byteOffset + chunk.length === UNPACKED_BYTES) release(chunk, UNPACKED_BYTES);
}

/** Frees the memory of a chunk of zlib at once; V8 would collect it only after some 60 MB of such garbage. */
function release({ buffer }: Buffer, allocated: number): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === allocated) buffer.transfer(0);
}
