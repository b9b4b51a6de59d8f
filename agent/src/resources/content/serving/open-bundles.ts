/** The archives that are open for serving. The directory of each is read once; unused archives are closed. */
import { type FileHandle, open } from 'node:fs/promises';
import type { StoredBundle } from '../bundle-files.ts';
import { readDirectory } from '../zip/directory.ts';
import { type ByteSource, fileSource } from '../zip/source.ts';
import type { ZipDirectory } from '../zip/zip-entry.ts';
import { type MediaTypes, mediaTypes } from './media-types.ts';

/** Most open archives: the displayed one, and older versions of it that still have running requests. */
const MAX_OPEN = 4;
/** Interval for closing unused archives: a replaced or deleted file occupies disk space until it is closed. */
const CHECK_MS = 2_000;
/** Attempts to open a bundle that is replaced again while it is being opened. */
const MAX_ATTEMPTS = 3;

/** The file of a stored bundle. */
export type BundleFile = Pick<StoredBundle, 'path' | 'sha256' | 'size'>;

/**
 * The current file of a bundle by name; undefined for a bundle that must not be served. Returns the same object as long
 * as the file is not replaced, and another object afterwards, even if the new file has the same bytes.
 */
export type Locate = (name: string) => BundleFile | undefined;

/** More archives would be open than MAX_OPEN. */
export class TooManyOpen extends Error {
  override name = 'TooManyOpen';
}

/** An open archive. Its content stays the same even if the bundle is replaced or deleted. */
export interface OpenBundle {
  readonly name: string;
  readonly file: BundleFile;
  readonly source: ByteSource;
  readonly directory: ZipDirectory;
  readonly mediaType: MediaTypes;
}

interface Slot {
  readonly name: string;
  readonly opening: Promise<{ handle: FileHandle; bundle: OpenBundle }>;
  users: number;
}

export class OpenBundles {
  readonly #locate: Locate;
  readonly #closed: (bundle: OpenBundle) => void;
  readonly #slots = new Map<BundleFile, Slot>();
  /** Archives that are being closed: no longer among the slots, but still occupying disk space. */
  readonly #closing = new Set<Promise<void>>();
  #check: NodeJS.Timeout | undefined;

  /** @param closed called for each archive before it is closed */
  constructor(locate: Locate, closed: (bundle: OpenBundle) => void = () => undefined) {
    this.#locate = locate;
    this.#closed = closed;
  }

  /** Number of open archives. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * Opens the current archive of a bundle, or shares it if it is open. The caller must {@link release} it.
   * @returns undefined when there is no such bundle
   * @throws TooManyOpen; ZipError when the archive is damaged; Error of the system
   */
  async take(name: string): Promise<OpenBundle | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const file = this.#locate(name);
      if (!file) return undefined;
      const slot = this.#slots.get(file) ?? this.#open(name, file);
      slot.users += 1;
      let bundle: OpenBundle;
      try {
        ({ bundle } = await slot.opening);
      } catch (error) {
        slot.users -= 1;
        this.#remove(file, slot);
        if (this.#locate(name) === file) throw error;
        continue; // replaced or deleted in the meantime
      }
      // The file may have been replaced between lookup and open.
      if (this.#locate(name) === file) return bundle;
      this.#leave(file, slot);
    }
    throw new TooManyOpen(`the bundle ${name} changes faster than it can be opened`);
  }

  /** Returns a bundle from {@link take}. */
  release({ file }: OpenBundle): void {
    const slot = this.#slots.get(file);
    if (slot) this.#leave(file, slot);
  }

  /** Closes archives that are not being read and no longer served, and waits until their disk space is free. */
  async closeUnused(): Promise<void> {
    const unused = [...this.#slots].filter(
      ([file, slot]) => slot.users === 0 && this.#locate(slot.name) !== file,
    );
    for (const [file, slot] of unused) this.#drop(file, slot);
    await Promise.all(this.#closing);
  }

  /** Closes all archives, including those in use. */
  async close(): Promise<void> {
    for (const [file, slot] of [...this.#slots]) this.#drop(file, slot);
    await Promise.all(this.#closing);
  }

  #open(name: string, file: BundleFile): Slot {
    void this.closeUnused();
    if (this.#slots.size >= MAX_OPEN) throw new TooManyOpen('too many bundles are being read');
    const slot = { name, opening: openBundle(name, file), users: 0 };
    this.#slots.set(file, slot);
    this.#check ??= setInterval(() => void this.closeUnused(), CHECK_MS).unref();
    return slot;
  }

  #leave(file: BundleFile, slot: Slot): void {
    slot.users -= 1;
    if (slot.users === 0 && this.#locate(slot.name) !== file) this.#drop(file, slot);
  }

  #remove(file: BundleFile, slot: Slot): void {
    if (this.#slots.get(file) === slot) this.#slots.delete(file);
    if (this.#slots.size > 0) return;
    clearInterval(this.#check);
    this.#check = undefined;
  }

  #drop(file: BundleFile, slot: Slot): void {
    this.#remove(file, slot);
    const closed = this.#closeFile(slot).finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  async #closeFile(slot: Slot): Promise<void> {
    // Nothing to close if opening failed.
    const opened = await slot.opening.catch(() => undefined);
    if (!opened) return;
    this.#closed(opened.bundle);
    // Waits for running reads. A failure to close a file that was only read has no consequences.
    await opened.handle.close().catch(() => undefined);
  }
}

async function openBundle(
  name: string,
  file: BundleFile,
): Promise<{ handle: FileHandle; bundle: OpenBundle }> {
  const handle = await open(file.path, 'r');
  try {
    const source = fileSource(handle, file.size);
    const directory = await readDirectory(source);
    return { handle, bundle: { name, file, source, directory, mediaType: await mediaTypes() } };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
