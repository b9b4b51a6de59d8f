import type { ZipEntry } from './central.ts';
import { contentCheck, Pace } from './content-check.ts';
import { readDirectory, type ZipDirectory } from './directory.ts';
import { type ByteRange, type ByteSource, readAhead } from './source.ts';
import { quoted, ZipError } from './zip-error.ts';

const PIECE_BYTES = 256 * 1024;
const ENTRY_PAGE = 'index.html';

export interface VerifyOptions {
  /** Stops the work; the promise then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Told from time to time which part of the archive's bytes is done, 0 to 1. */
  progress?: (fraction: number) => void;
}

/**
 * Checks that an archive is a bundle that can be served as it is: everything of {@link readDirectory}, a file
 * `index.html` at its root, and every entry's content against its CRC-32 and size.
 * @throws ZipError for what is no valid bundle; the signal's reason; whatever the source rejects with
 */
export async function verifyBundle(source: ByteSource, options: VerifyOptions = {}): Promise<ZipDirectory> {
  options.signal?.throwIfAborted();
  const directory = await readDirectory(source);
  if (!directory.has(ENTRY_PAGE)) throw new ZipError(missingPage(directory));
  await checkContents(source, [...directory.values()], options);
  options.progress?.(1);
  return directory;
}

function missingPage(directory: ZipDirectory): string {
  const deeper = [...directory.keys()].find((name) => /^[^/]+\/index\.html$/.test(name));
  const hint = deeper ? `; there is ${quoted(deeper)}: pack what is in the folder, not the folder` : '';
  return `The archive has no file ${quoted(ENTRY_PAGE)} at its root${hint}.`;
}

/** One pass through the archive, from the first byte of data to the last. */
async function checkContents(source: ByteSource, entries: ZipEntry[], options: VerifyOptions): Promise<void> {
  entries.sort((a, b) => a.dataStart - b.dataStart);
  const last = entries.at(-1);
  if (!last) return;
  const pace = new Pace();
  const pending = entries[Symbol.iterator]();
  const open = () => {
    const { value: entry } = pending.next();
    return (
      entry && {
        entry,
        end: entry.dataStart + entry.compressedBytes,
        check: contentCheck(entry, options.signal),
      }
    );
  };
  let current = open();
  try {
    for await (const { range, bytes } of readAhead(source, pieces(last), PIECE_BYTES)) {
      while (current) {
        options.signal?.throwIfAborted();
        const { entry, end, check } = current;
        const from = Math.max(entry.dataStart, range.start);
        const to = Math.min(end, range.end);
        if (to > from) await check.write(bytes.subarray(from - range.start, to - range.start));
        if (end > range.end) break;
        await check.finish();
        check.stop();
        current = open();
        await pace.spend(check.cost);
      }
      options.progress?.(range.end / source.size);
    }
  } finally {
    current?.check.stop();
  }
}

/** The archive up to the end of the last entry's data. */
function* pieces(last: ZipEntry): Generator<ByteRange> {
  const end = last.dataStart + last.compressedBytes;
  for (let start = 0; start < end; start += PIECE_BYTES)
    yield { start, end: Math.min(end, start + PIECE_BYTES) };
}
