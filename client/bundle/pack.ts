/** Packs files into a zip archive, bit by bit, so that memory is bounded. Uses nothing of Node. */
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import type { FileContent } from './file-content.ts';

/** A file of a bundle. */
export interface PackedFile extends FileContent {
  /** In the bundle, with slashes. */
  readonly path: string;
}

export interface PackOptions {
  /** Takes the next bytes of the archive. The work goes on when it is done. */
  write(chunk: Uint8Array<ArrayBuffer>): void | Promise<void>;
  /** Called with the bytes of files that are packed. */
  onProgress?: (bytes: number) => void;
  /** Called every 64 KiB: others may work until it resolves. */
  rest?: () => Promise<void>;
  /** Stops the work. */
  signal?: AbortSignal;
}

/** A file that was changed or removed meanwhile, or that may not be read. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError';
  /** In the bundle. */
  readonly path: string;

  constructor(path: string) {
    super(`${path} cannot be read, or was changed meanwhile`);
    this.path = path;
  }
}

/** Limits of archives that are made here, which have no zip64 records. */
export const MAX_FILES = 65_000;
export const MAX_BYTES = 4_000_000_000;
/** Compressed already. They are stored as they are, so that players can jump in them (docs/content.md). */
const STORED =
  /\.(?:7z|aac|avif|br|gif|gz|jpe?g|m4[av]|mkv|mov|mp[34]|og[agv]|opus|png|web[mp]|woff2?|zip|zst)$/i;
const LEVEL = 6;
/** Of every file, in the zone of this computer, as the format has it: the same files make the same archive. */
const TIME = new Date(1980, 0, 1);
/** Read at once, at most. */
export const BLOCK_BYTES = 1024 * 1024;
/** Compressed at once, which takes some milliseconds. */
const PIECE_BYTES = 64 * 1024;
const LEFT_OUT = /^(?:\.DS_Store|\.git|\.svn|\._.*|__MACOSX|Thumbs\.db|desktop\.ini)$/i;

/** Whether a file or folder is one that computers leave everywhere, and that no page needs. */
export function isLeftOut(path: string): boolean {
  return path.split('/').some((segment) => LEFT_OUT.test(segment));
}

/**
 * Packs files in the order of their paths. The same files give the same archive.
 * @throws UnreadableFileError; the reason of the signal
 */
export async function pack(files: readonly PackedFile[], options: PackOptions): Promise<void> {
  const { write, onProgress, rest, signal } = options;
  const made: Uint8Array<ArrayBuffer>[] = [];
  let failure: Error | undefined;
  const zip = new Zip((error, chunk) => {
    if (error) failure = error;
    else made.push(chunk);
  });
  const writeMade = async (): Promise<void> => {
    if (failure) throw failure;
    for (const chunk of made.splice(0)) await write(chunk);
  };
  let done = 0;
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const entry =
      STORED.test(file.path) || file.size === 0
        ? new ZipPassThrough(file.path)
        : new ZipDeflate(file.path, { level: LEVEL });
    entry.mtime = TIME;
    zip.add(entry);
    // An empty file has one block, an empty one.
    for (let at = 0; at === 0 || at < file.size; at += BLOCK_BYTES) {
      const block = await readBlock(file, at);
      for (let from = 0; from === 0 || from < block.length; from += PIECE_BYTES) {
        signal?.throwIfAborted();
        const piece = block.subarray(from, from + PIECE_BYTES);
        entry.push(piece, at + from + piece.length >= file.size);
        await writeMade();
        await rest?.();
      }
      done += block.length;
      onProgress?.(done);
    }
  }
  zip.end();
  await writeMade();
}

async function readBlock(file: PackedFile, at: number): Promise<Uint8Array<ArrayBuffer>> {
  const wanted = Math.min(BLOCK_BYTES, file.size - at);
  const block = await file.read(at, at + wanted).catch(() => undefined);
  if (block?.length !== wanted) throw new UnreadableFileError(file.path);
  return block;
}
