import { setImmediate as nextTurn } from 'node:timers/promises';
import { entryContent } from './content.ts';
import { readDirectory } from './directory.ts';
import { type ByteSource, WindowedSource } from './source.ts';
import { quoted, type ZipDirectory, ZipError } from './zip-entry.ts';

const ENTRY_PAGE = 'index.html';
/** What is done before the event loop gets its turn: unpacked bytes, and for each entry what its set-up costs. */
const WORK_PER_TURN = 512 * 1024;
const SETUP_WORK = 10 * 1024;

export interface VerifyOptions {
  /** Stops the work; the promise then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called now and then with the fraction of the archive that is done, 0 to 1. */
  progress?: (fraction: number) => void;
}

/**
 * Checks that an archive is a bundle that can be served as it is: everything that {@link readDirectory} checks, a file
 * `index.html` at its root, and the content of each entry against its CRC-32 and size.
 * @throws ZipError when it is no valid bundle; the signal's reason; whatever the source rejects with
 */
export async function verifyBundle(source: ByteSource, options: VerifyOptions = {}): Promise<ZipDirectory> {
  const { signal, progress } = options;
  signal?.throwIfAborted();
  const directory = await readBundleDirectory(source);
  const windowed = new WindowedSource(source);
  let work = 0;
  for (const entry of [...directory.values()].sort((a, b) => a.dataStart - b.dataStart)) {
    let done = 0;
    work += SETUP_WORK;
    for await (const chunk of entryContent(windowed, entry, undefined, signal)) {
      done += chunk.length;
      work += chunk.length;
      if (work < WORK_PER_TURN) continue;
      work = 0;
      progress?.((entry.dataStart + (entry.compressedBytes * done) / (entry.bytes || 1)) / source.size);
      await nextTurn();
      signal?.throwIfAborted();
    }
  }
  progress?.(1);
  return directory;
}

/** Like {@link readDirectory}, but refuses an archive without `index.html` at its root. */
export async function readBundleDirectory(source: ByteSource): Promise<ZipDirectory> {
  const directory = await readDirectory(source);
  if (directory.has(ENTRY_PAGE)) return directory;
  throw new ZipError(
    `The archive has no file ${quoted(ENTRY_PAGE)} at its root${hintFor([...directory.keys()])}.`,
  );
}

/** What was probably meant to be the start page. */
function hintFor(names: readonly string[]): string {
  if (names.length === 0) return '; it is empty';
  const similar = names.find((name) => /^(?:index|default|home)\.x?html?$/i.test(name));
  if (similar) return `; there is ${quoted(similar)}: name it ${ENTRY_PAGE}`;
  const deeper = names.find((name) => /^[^/]+\/index\.html$/i.test(name));
  return deeper ? `; there is ${quoted(deeper)}: pack the content of the folder, not the folder` : '';
}
