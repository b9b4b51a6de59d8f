import { inflateRawSync } from 'node:zlib';
import type { ByteSource, ZipDirectory } from '../index.ts';

/** Every entry's content by name, read from where the directory says that it lies. */
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
