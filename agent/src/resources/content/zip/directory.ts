import { type CentralEntry, readCentralEntries, type ZipEntry } from './central.ts';
import { findDirectory } from './end-records.ts';
import { checkLocalHeaders } from './local.ts';
import type { ByteSource } from './source.ts';

/** The entries of an archive by name, folders too, in the order of the central directory. */
export type ZipDirectory = ReadonlyMap<string, ZipEntry>;

/**
 * Reads an archive's directory with every check that needs no unpacking: end records, central directory, each local
 * header and data descriptor, names, kinds, methods, claimed sizes. Memory and reads are bounded by `limits.ts`.
 * @throws ZipError for what is no valid archive; whatever the source rejects with
 */
export async function readDirectory(source: ByteSource): Promise<ZipDirectory> {
  const location = await findDirectory(source);
  const bytes = await source.read(location.start, location.bytes);
  const entries = await readCentralEntries(bytes, location);
  await checkLocalHeaders(source, inFileOrder(entries), bytes, location.start);
  return new Map(entries.map(({ entry }) => [entry.name, entry]));
}

function inFileOrder(entries: CentralEntry[]): CentralEntry[] {
  return [...entries].sort((a, b) => a.localStart - b.localStart);
}
