/** The archives that are open for serving: few, read once, closed when nobody needs them any more. */
import { type FileHandle, open } from 'node:fs/promises';
import { type ByteSource, fileSource, readDirectory, type ZipDirectory } from '../zip/index.ts';

/** Archives open at a time: the displayed one, and older versions of it whose last requests are not over. */
const MAX_OPEN = 4;
/** How often archives that nobody reads are looked at: one that was replaced or deleted holds its room on the disk. */
const CHECK_MS = 2_000;
/** A bundle that is replaced again and again while it is being opened. */
const TRIES = 3;

/** The file of a stored bundle (the store's index). */
export interface BundleFile {
  path: string;
  sha256: string;
  /** Bytes. */
  size: number;
}

/**
 * The file now, by the bundle's name; undefined for a bundle that is not to be served. It is the same object as long
 * as it is the same file, and another one when it was replaced, be it by the same bytes.
 */
export type Locate = (name: string) => BundleFile | undefined;

/** More archives are being read than may be open. */
export class TooManyOpen extends Error {
  override name = 'TooManyOpen';
}

/** An archive in use: what is read through it stays the same, whatever happens to the name meanwhile. */
export interface OpenBundle {
  readonly name: string;
  readonly file: BundleFile;
  readonly source: ByteSource;
  readonly directory: ZipDirectory;
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
  /** Archives that are being closed: no longer among the slots, and their room on the disk not free yet. */
  readonly #closing = new Set<Promise<void>>();
  #check: NodeJS.Timeout | undefined;

  /** @param closed told of each archive that was closed */
  constructor(locate: Locate, closed: (bundle: OpenBundle) => void = () => undefined) {
    this.#locate = locate;
    this.#closed = closed;
  }

  /** Archives that are open now. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * The bundle's archive as it is now. Every one that was given out must be given back.
   * @returns undefined when there is no such bundle
   * @throws TooManyOpen; ZipError when the archive is damaged; Error of the system
   */
  async take(name: string): Promise<OpenBundle | undefined> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
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
      // The path may have got another file between being looked up and being opened.
      if (this.#locate(name) === file) return bundle;
      this.#leave(file, slot);
    }
    throw new TooManyOpen(`the bundle ${name} changes faster than it can be opened`);
  }

  /** Gives a bundle back that {@link take} gave out. */
  release({ file }: OpenBundle): void {
    const slot = this.#slots.get(file);
    if (slot) this.#leave(file, slot);
  }

  /** Closes what nobody reads and nobody will ask for; then the room of those that were deleted is free. */
  async closeUnused(): Promise<void> {
    const unused = [...this.#slots].filter(
      ([file, slot]) => slot.users === 0 && this.#locate(slot.name) !== file,
    );
    for (const [file, slot] of unused) this.#drop(file, slot);
    await Promise.all(this.#closing);
  }

  /** Closes all, those in use too. */
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
    // One that could not be opened is no file to close.
    const opened = await slot.opening.catch(() => undefined);
    if (!opened) return;
    this.#closed(opened.bundle);
    // Waits for reads under way; that closing a file opened for reading fails changes nothing for anybody.
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
    return { handle, bundle: { name, file, source, directory } };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
