/** Packs files into a zip archive in the browser, bit by bit, so that the page stays usable and memory is bounded. */
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import { ActionError } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';

/** A file of a bundle. */
export interface PackedFile {
  /** In the bundle, with slashes. */
  readonly path: string;
  readonly file: File;
}

export interface PackOptions {
  /** Called with the bytes of files that are packed. */
  onProgress: (bytes: number) => void;
  /** Stops the work. */
  signal: AbortSignal;
}

/** Compressed already. They are stored as they are, so that players can jump in them (docs/content.md). */
const STORED =
  /\.(?:7z|aac|avif|br|gif|gz|jpe?g|m4[av]|mkv|mov|mp[34]|og[agv]|opus|png|web[mp]|woff2?|zip|zst)$/i;
const LEVEL = 6;
/** Of every file, in the zone of this computer, as the format has it: the same files make the same archive. */
const TIME = new Date(1980, 0, 1);
/** Read at once. */
const BLOCK_BYTES = 1024 * 1024;
/** Compressed at once, which takes some milliseconds. */
const PIECE_BYTES = 64 * 1024;
/** Work in ms before the page gets its turn. */
const WORK_MS = 12;
/** Kept in the memory of the page before the browser gets it, which may put it on the disk. */
const KEPT_BYTES = 8 * 1024 * 1024;

/**
 * Packs files in the order of their paths. The same files give the same archive.
 * @throws ActionError if a file cannot be read; the reason of the signal
 */
export async function pack(files: readonly PackedFile[], { onProgress, signal }: PackOptions): Promise<Blob> {
  const archive = new Parts();
  let failure: Error | undefined;
  const zip = new Zip((error, chunk) => {
    if (error) failure = error;
    else archive.add(chunk);
  });
  const rest = pauses();
  let done = 0;
  for (const { path, file } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const entry =
      STORED.test(path) || file.size === 0
        ? new ZipPassThrough(path)
        : new ZipDeflate(path, { level: LEVEL });
    entry.mtime = TIME;
    zip.add(entry);
    // An empty file has one block, an empty one.
    for (let at = 0; at === 0 || at < file.size; at += BLOCK_BYTES) {
      const block = await readBlock(file, at, path);
      for (let from = 0; from === 0 || from < block.length; from += PIECE_BYTES) {
        signal.throwIfAborted();
        const piece = block.subarray(from, from + PIECE_BYTES);
        entry.push(piece, at + from + piece.length >= file.size);
        if (failure) throw failure;
        await rest();
      }
      done += block.length;
      onProgress(done);
    }
  }
  zip.end();
  return archive.end();
}

/** @throws ActionError if the file was changed or removed meanwhile, or the user may not read it */
async function readBlock(file: File, at: number, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const wanted = Math.min(BLOCK_BYTES, file.size - at);
  const block = await file
    .slice(at, at + wanted)
    .arrayBuffer()
    .catch(() => undefined);
  if (block?.byteLength !== wanted) throw new ActionError(t('content.unreadable', { path }));
  return new Uint8Array(block);
}

/** What is written, in parts that the browser keeps. */
class Parts {
  readonly #whole: Blob[] = [];
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  add(chunk: Uint8Array<ArrayBuffer>): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= KEPT_BYTES) this.#hand();
  }

  end(): Blob {
    this.#hand();
    return new Blob(this.#whole, { type: 'application/zip' });
  }

  #hand(): void {
    this.#whole.push(new Blob(this.#chunks));
    this.#chunks = [];
    this.#bytes = 0;
  }
}

/** A function that resolves at once, or after the page had its turn if it had none for a while. */
function pauses(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < WORK_MS) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    // Timers are slowed down while the page is in the background.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(null);
    await promise;
    port1.close();
    last = performance.now();
  };
}
