/** The bytes of zip entries as HTTP sends them, with bounded memory however large the entry. */
import type { Writable } from 'node:stream';
import { type Chunks, packedContent } from '../zip/content.ts';
import type { ByteSource } from '../zip/source.ts';
import type { ZipEntry } from '../zip/zip-entry.ts';

/** What surrounds deflated data in a gzip member (RFC 1952): no name, no time, unknown system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const GZIP_TAIL_BYTES = 8;
/** How much larger than its deflated data a gzip member is. */
export const GZIP_EXTRA_BYTES = GZIP_HEAD.length + GZIP_TAIL_BYTES;

/** The client has closed its connection. */
export class ClientGone extends Error {
  override name = 'ClientGone';
}

/** A deflated entry as gzip, without inflating it: the directory has what the trailer needs. */
export async function* gzipBody(source: ByteSource, entry: ZipEntry): Chunks {
  yield GZIP_HEAD;
  yield* packedContent(source, entry);
  const tail = Buffer.alloc(GZIP_TAIL_BYTES);
  tail.writeUInt32LE(entry.crc32, 0);
  tail.writeUInt32LE(entry.bytes % 2 ** 32, 4);
  yield tail;
}

/** Copies a whole body into memory of its own. @param bytes size of the body */
export async function collect(body: Chunks, bytes: number): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(bytes);
  let filled = 0;
  for await (const chunk of body) filled += chunk.copy(whole, filled);
  return whole;
}

/**
 * Writes a chunk and waits until its memory may be used again.
 * @throws ClientGone when the stream closes instead
 */
export function writeChunk(stream: Writable, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new ClientGone('the connection was closed'));
    stream.once('close', onClose);
    stream.write(chunk, (error) => {
      stream.off('close', onClose);
      if (error) reject(new ClientGone('the connection was closed', { cause: error }));
      else resolve();
    });
  });
}
