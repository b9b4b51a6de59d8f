/** The bytes of zip entries as HTTP sends them, with bounded memory however large the entry. */
import type { Writable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { ByteSource, ZipEntry } from '../zip/index.ts';
import { type ByteRange as FileRange, readAhead } from '../zip/source.ts';
import type { ByteRange } from './conditions.ts';

/**
 * Bytes read at a time; smaller reads cost speed, each being a trip to another thread. Two are in memory for every
 * answer under way, the one being sent and the one being read.
 */
const READ_BYTES = 512 * 1024;
const INFLATED_BYTES = 64 * 1024;

/** What is around deflated data to make it gzip (RFC 1952): a member without name and time, of no known system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const GZIP_TAIL_BYTES = 8;
/** How much larger than its deflated data a gzip member is. */
export const GZIP_EXTRA_BYTES = GZIP_HEAD.length + GZIP_TAIL_BYTES;

/** The entry's data is not what the archive's directory says: the file was damaged after it had been verified. */
export class DamagedEntry extends Error {
  override name = 'DamagedEntry';

  constructor(entry: ZipEntry) {
    super(`the entry ${JSON.stringify(entry.name)} is damaged`);
  }
}

/** The other side is gone. */
export class Hangup extends Error {
  override name = 'Hangup';
}

/**
 * Bytes of an answer. Each chunk is valid until the next one is asked for. When an entry is damaged this throws
 * before its last byte has been given out, as far as that can be told: from a part of a stored entry it cannot.
 */
export type Body = AsyncGenerator<Buffer, void, void>;

/**
 * The content of an entry, or a part of it.
 * @param signal ends it with {@link Hangup}: a part may have much before it that must be inflated first
 */
export function plainBody(source: ByteSource, entry: ZipEntry, range: ByteRange, signal?: AbortSignal): Body {
  return entry.method === 'stored'
    ? storedBody(source, entry, range)
    : inflatedBody(source, entry, range, signal);
}

async function* storedBody(source: ByteSource, entry: ZipEntry, { from, to }: ByteRange): Body {
  const isWhole = from === 0 && to === entry.bytes;
  const end = entry.dataStart + to;
  let crc = 0;
  for await (const { range, bytes } of read(source, entry.dataStart + from, end)) {
    if (isWhole) {
      crc = crc32(bytes, crc);
      if (range.end === end && crc !== entry.crc32) throw new DamagedEntry(entry);
    }
    yield bytes;
  }
}

/** Inflates from the entry's start, as there is no other way in, and drops what is before the range. */
async function* inflatedBody(
  source: ByteSource,
  entry: ZipEntry,
  { from, to }: ByteRange,
  signal: AbortSignal | undefined,
): Body {
  const inflate = createInflateRaw({ chunkSize: INFLATED_BYTES });
  signal?.addEventListener('abort', () => inflate.destroy(new Hangup('nobody waits for it any more')));
  feed(inflate, read(source, entry.dataStart, entry.dataStart + entry.compressedBytes)).catch((error) =>
    inflate.destroy(error),
  );
  let position = 0;
  let crc = 0;
  // One chunk is kept back: the last one goes out when all has been found right.
  let kept: Buffer | undefined;
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      const part = chunk.subarray(Math.max(0, from - position), Math.max(0, to - position));
      position += chunk.length;
      crc = crc32(chunk, crc);
      if (position > entry.bytes) throw new DamagedEntry(entry);
      if (part.length > 0) {
        if (kept) yield kept;
        kept = part;
      }
      if (position >= to && to < entry.bytes) break;
    }
  } catch (error) {
    throw isZlibError(error) ? new DamagedEntry(entry) : error;
  }
  if (position < to || (to === entry.bytes && crc !== entry.crc32)) throw new DamagedEntry(entry);
  if (kept) yield kept;
}

/** A deflated entry as gzip, without inflating it: the directory knows what the trailer says. */
export async function* gzipBody(source: ByteSource, entry: ZipEntry): Body {
  yield GZIP_HEAD;
  yield* readBytes(source, entry.dataStart, entry.dataStart + entry.compressedBytes);
  const tail = Buffer.alloc(GZIP_TAIL_BYTES);
  tail.writeUInt32LE(entry.crc32, 0);
  tail.writeUInt32LE(entry.bytes % 2 ** 32, 4);
  yield tail;
}

/** All of a body in memory of its own. @param bytes its size, which a body that ends well has */
export async function collect(body: Body, bytes: number): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(bytes);
  let filled = 0;
  for await (const chunk of body) filled += chunk.copy(whole, filled);
  return whole;
}

/**
 * Writes a chunk and waits until its memory may be used again.
 * @throws Hangup when the stream closes instead
 */
export function writeChunk(stream: Writable, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const hangup = () => reject(new Hangup('the stream was closed'));
    stream.once('close', hangup);
    stream.write(chunk, (error) => {
      stream.off('close', hangup);
      if (error) reject(new Hangup('the stream was closed', { cause: error }));
      else resolve();
    });
  });
}

async function feed(stream: Writable, chunks: AsyncIterable<{ bytes: Buffer }>): Promise<void> {
  try {
    for await (const { bytes } of chunks) await writeChunk(stream, bytes);
    stream.end();
  } catch (error) {
    // Whoever reads the stream knows why it was closed.
    if (!(error instanceof Hangup)) throw error;
  }
}

async function* readBytes(source: ByteSource, start: number, end: number): Body {
  for await (const { bytes } of read(source, start, end)) yield bytes;
}

function read(source: ByteSource, start: number, end: number) {
  return readAhead(source, slices(start, end), Math.min(READ_BYTES, end - start));
}

function* slices(start: number, end: number): Generator<FileRange> {
  for (let at = start; at < end; at += READ_BYTES) yield { start: at, end: Math.min(at + READ_BYTES, end) };
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
