/** Folders and files of this computer, as bodies of uploads. For Node. */

import { type FileHandle, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { readArchive } from './bundle/archive.ts';
import { bundleNameFor, isBundleName } from './bundle/bundle-name.ts';
import {
  isLeftOut,
  MAX_BYTES,
  MAX_FILES,
  BLOCK_BYTES as PACK_BLOCK_BYTES,
  type PackedFile,
  pack,
} from './bundle/pack.ts';
import { type Problem, problemOf } from './bundle/root-page.ts';
import type { SizedBody } from './client.ts';
import type { Device } from './device.ts';

/** Read from a file at once, in bytes. */
const BLOCK_BYTES = 64 * 1024;

/** Something that the device would refuse was not sent. */
export class BundleError extends Error {
  override name = 'BundleError';
}

export interface PushOptions {
  /** Of the bundle; by default after the folder or file. */
  name?: string;
  /** Shows the bundle when it is stored, and waits until it is on the screen. */
  show?: boolean;
  /** Called with the bytes of the archive that were sent, and with all of them. */
  onProgress?: (sent: number, total: number) => void;
  signal?: AbortSignal;
}

/**
 * Packs a folder as the device wants it (index.html at the root, media stored), checks it, and stores it as a bundle.
 * A zip archive is checked and sent as it is.
 * @returns the name of the bundle
 * @throws BundleError with what to change; RequestError and WaitError of the device
 */
export async function push(
  device: Device,
  path: string,
  { name = bundleNameFor(basename(resolve(path))), show = false, onProgress, signal }: PushOptions = {},
): Promise<string> {
  if (!isBundleName(name)) {
    throw new BundleError(
      `"${name}" cannot be a bundle's name: it has 1 to 63 of a-z, 0-9 and -, and begins and ends with none of -; try ${bundleNameFor(name)}`,
    );
  }
  const limits = { ...(onProgress && { onProgress }), ...(signal && { signal }) };
  if ((await stat(path)).isDirectory()) {
    await withPacked(path, signal, (archive) => device.storeBundle(name, archive, limits));
  } else {
    await withFile(path, async (file) => {
      const archive = await readArchive(file);
      if (!archive) throw new BundleError(`${path} is not a zip archive, or is damaged`);
      if (archive.isEncrypted) throw new BundleError(`${path} is encrypted, which the device cannot show`);
      checkPaths(archive.paths);
      await device.storeBundle(name, file, limits);
    });
  }
  if (show) await device.show({ bundle: name }, signal ? { signal } : {});
  return name;
}

/** A file of this computer, which is read while it is sent. The content for whoever checks it first. */
class OpenFile implements SizedBody {
  readonly size: number;
  readonly #handle: FileHandle;

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.size = size;
  }

  /** @param into memory for the bytes, which are its beginning then; by default new memory */
  async read(
    start: number,
    end: number,
    into = new Uint8Array(end - start),
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { bytesRead } = await this.#handle.read(into, 0, end - start, start);
    return into.subarray(0, bytesRead);
  }

  /** @throws Error when the file has become shorter */
  async *stream(): AsyncGenerator<Uint8Array> {
    // One for all: Node frees the memory of buffers late, so that a large file would take a large part of it.
    const memory = new Uint8Array(BLOCK_BYTES);
    for (let at = 0; at < this.size; ) {
      const block = await this.read(at, Math.min(at + BLOCK_BYTES, this.size), memory);
      if (block.length === 0) throw new Error('the file has become shorter while it was sent');
      yield block;
      at += block.length;
    }
  }
}

/** Opens a file while `use` works with it. */
export async function withFile<T>(path: string, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const handle = await open(path);
  try {
    return await use(new OpenFile(handle, (await handle.stat()).size));
  } finally {
    await handle.close();
  }
}

/** Packs a folder into a temporary file while `use` works with it. */
async function withPacked(
  folder: string,
  signal: AbortSignal | undefined,
  use: (archive: OpenFile) => Promise<void>,
): Promise<void> {
  const files = await filesIn(folder);
  checkPaths(files.map(({ path }) => path));
  const work = await mkdtemp(join(tmpdir(), 'vitrine-push-'));
  try {
    const path = join(work, 'bundle.zip');
    const output = await open(path, 'wx');
    const write = (chunk: Uint8Array): Promise<void> => output.writeFile(chunk);
    await pack(files, { write, ...(signal && { signal }) }).finally(() => output.close());
    await withFile(path, use);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The files of a folder without those that computers leave everywhere. @throws BundleError if there are none or too many */
async function filesIn(folder: string): Promise<PackedFile[]> {
  // For all of them: what is packed of it is written before the next block is read.
  const memory = new Uint8Array(PACK_BLOCK_BYTES);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: PackedFile[] = [];
  let total = 0;
  for (const entry of entries) {
    const place = join(entry.parentPath, entry.name);
    const path = relative(folder, place).split(sep).join('/');
    if (isLeftOut(path)) continue;
    const found = await stat(place);
    if (!found.isFile()) continue;
    files.push({
      path,
      size: found.size,
      read: (start, end) => withFile(place, (file) => file.read(start, end, memory)),
    });
    total += found.size;
    if (files.length > MAX_FILES) throw new BundleError(`${folder} has more than ${MAX_FILES} files`);
    if (total > MAX_BYTES) throw new BundleError(`${folder} is larger than ${MAX_BYTES / 1e9} GB`);
  }
  if (files.length === 0) throw new BundleError(`${folder} has no files`);
  return files;
}

/** @throws BundleError with the reason why the device would refuse these files */
function checkPaths(paths: readonly string[]): void {
  const problem = problemOf(paths);
  if (problem) throw new BundleError(sentenceOf(problem));
}

function sentenceOf({ kind, what, folders }: Problem): string {
  switch (kind) {
    case 'missing':
      return 'there is no index.html at the top, which is the page that is shown first';
    case 'inside':
      return `index.html is in a folder: give ${folders.map((name) => `"${name}"`).join(' or ')} instead, whose content becomes the bundle`;
    case 'spelled':
      return `the start page is "${what}": it must be named index.html`;
    case 'path':
      return `the path ${JSON.stringify(what)} has characters that no bundle may have (\\, control characters, a drive letter)`;
    case 'long':
      return `the path "${what.slice(0, 80)}…" is too long or too deep`;
    case 'twins':
      return `"${what}" is there twice, spelled differently; some file systems do not tell them apart`;
  }
}
