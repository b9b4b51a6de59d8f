/** What the benchmarks of content use: archives, and the tree that one of them unpacks to. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

const CHUNK_BYTES = 1024 * 1024;

/** A file of an archive: media, stored because nothing packs it, or text, deflated. */
export interface BenchEntry {
  name: string;
  bytes: number;
  kind: 'media' | 'text';
}

/** Media repeats after a while: making it costs less so, and it is past what deflate looks back. */
const NOISE = randomBytes(8 * CHUNK_BYTES);
const WORDS = 'const menu = document.querySelector("main"); function show(entry, price) { return entry; } ';

/** Text that deflates to about a third, as scripts and styles do. */
function text(bytes: number): Buffer {
  const digits = randomBytes(Math.ceil(bytes / 6)).toString('hex');
  let line = '';
  for (let at = 0; line.length < bytes; at += 12)
    line += WORDS.slice(at % 61, 24 + (at % 61)) + digits.slice(at, at + 12);
  return Buffer.from(line.slice(0, bytes));
}

function* content({ kind, bytes }: BenchEntry): Generator<Buffer> {
  const source = kind === 'media' ? NOISE : text(Math.min(bytes, CHUNK_BYTES));
  for (let left = bytes, at = 0; left > 0; ) {
    const chunk = source.subarray(at, at + Math.min(left, CHUNK_BYTES));
    yield chunk;
    left -= chunk.length;
    at = (at + chunk.length) % source.length;
  }
}

/**
 * Writes an archive, and its files into a folder when one is given.
 * @param path of the archive
 */
export async function writeBundle(
  path: string,
  entries: readonly BenchEntry[],
  tree?: string,
): Promise<void> {
  const zip = new ZipFile();
  for (const entry of entries) {
    const compress = entry.kind === 'text';
    const chunks = [...content(entry)];
    if (tree !== undefined) {
      const file = join(tree, entry.name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, chunks);
    }
    zip.addReadStream(Readable.from(chunks), entry.name, { compress });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}
