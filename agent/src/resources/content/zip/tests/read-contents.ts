import { inflateRawSync } from 'node:zlib';
import type { ByteSource } from '../source.ts';
import type { ZipDirectory } from '../zip-entry.ts';

/** The content of every entry by name, read from its position in the directory. */
export async function readContents(
  source: ByteSource,
  directory: ZipDirectory,
): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  for (const entry of directory.values()) {
    const data = await source.read(entry.dataStart, entry.compressedBytes);
    contents.set(entry.name, entry.method === 'stored' ? data : inflateRawSync(data));
  }
  return contents;
}
