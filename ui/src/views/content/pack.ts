/** Packs files in the browser, so that the page stays usable. */
import { blobContent } from '../../../../client/bundle/file-content.ts';
import { pack as packInto, UnreadableFileError } from '../../../../client/bundle/pack.ts';
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

/** Work in ms before the page gets its turn. */
const WORK_MS = 12;
/** Kept in the memory of the page before the browser gets it, which may put it on the disk. */
const KEPT_BYTES = 8 * 1024 * 1024;

/**
 * Packs files in the order of their paths. The same files give the same archive.
 * @throws ActionError if a file cannot be read; the reason of the signal
 */
export async function pack(files: readonly PackedFile[], options: PackOptions): Promise<Blob> {
  const archive = new Parts();
  const readable = files.map(({ path, file }) => ({ path, ...blobContent(file) }));
  await packInto(readable, {
    ...options,
    rest: pauses(),
    write: (chunk) => archive.add(chunk),
  }).catch((error: unknown) => {
    if (!(error instanceof UnreadableFileError)) throw error;
    throw new ActionError(t('content.unreadable', { path: error.path }));
  });
  return archive.end();
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
