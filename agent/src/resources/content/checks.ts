/** Checks stored bundles: the whole archive on request, its directory before it is displayed. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { ApiError } from '../../contract/errors.ts';
import type { ContentCheck } from './schema.ts';
import type { StoredBundle } from './sidecar.ts';
import { type ByteSource, fileSource, readBlocks } from './zip/source.ts';
import { readBundleDirectory, verifyBundle } from './zip/verify.ts';
import { ZipError } from './zip/zip-entry.ts';

/** Checks that may run at once; each reads and unpacks a whole archive. */
export const MAX_CHECKS = 2;
/** Bytes hashed at a time. */
const BLOCK_BYTES = 256 * 1024;

/** The problem of an archive that has the right size but the wrong hash. */
export const WRONG_HASH = 'The archive is not the one that was uploaded: its SHA-256 differs.';

/** Why a bundle cannot be displayed. */
export interface BundleProblem {
  code: 'bundle_missing' | 'bundle_damaged';
  message: string;
}

/** Looks at an archive of the right size. @returns a message @throws ZipError when it is damaged */
type Inspection = (source: ByteSource) => Promise<string>;

export class BundleChecks {
  readonly #index: ReadonlyMap<string, StoredBundle>;
  readonly #stopped: AbortSignal;
  /** By index entry, not by name: an archive that replaces another one meanwhile gets its own check. */
  readonly #running = new Map<StoredBundle, Promise<ContentCheck>>();

  /** @param stopped aborts the running checks */
  constructor(index: ReadonlyMap<string, StoredBundle>, stopped: AbortSignal) {
    this.#index = index;
    this.#stopped = stopped;
  }

  /** Checks quickly whether a bundle can be displayed. @returns undefined when it can */
  async problem(name: string): Promise<BundleProblem | undefined> {
    const result = await this.#inspect(name, () => inspectDirectory);
    if (!result) return { code: 'bundle_missing', message: `There is no bundle ${name}.` };
    return result.ok ? undefined : { code: 'bundle_damaged', message: result.message };
  }

  /**
   * Checks the whole archive of a bundle. Calls during a check of the same archive share its result.
   * @throws ApiError `content_not_found`, `too_many_requests`
   */
  check(name: string): Promise<ContentCheck> {
    const bundle = this.#index.get(name);
    if (!bundle) throw new ApiError('content_not_found');
    const running = this.#running.get(bundle);
    if (running) return running;
    if (this.#running.size >= MAX_CHECKS) {
      throw new ApiError('too_many_requests', `${MAX_CHECKS} bundles are being checked already.`);
    }
    const check = this.#check(name).finally(() => this.#running.delete(bundle));
    this.#running.set(bundle, check);
    return check;
  }

  async #check(name: string): Promise<ContentCheck> {
    const result = await this.#inspect(name, (bundle) => (source) => this.#verify(source, bundle));
    if (!result) throw new ApiError('content_not_found');
    const { bundle, ok, message } = result;
    if (ok) delete bundle.damage;
    else bundle.damage = message;
    return { ok, message };
  }

  async #verify(source: ByteSource, { sha256, size }: StoredBundle): Promise<string> {
    const signal = this.#stopped;
    // Both at the same time, so that the kernel reads most of a large file only once.
    const [entries, hash] = await Promise.all([verifyBundle(source, { signal }), hashOf(source, signal)]);
    if (hash !== sha256) throw new ZipError(WRONG_HASH);
    return `The bundle is whole: ${entries.size} entries, ${size} bytes.`;
  }

  /** @returns undefined when there is no such bundle; it may be replaced or removed at any time */
  async #inspect(
    name: string,
    inspectionOf: (bundle: StoredBundle) => Inspection,
  ): Promise<(ContentCheck & { bundle: StoredBundle }) | undefined> {
    for (;;) {
      const bundle = this.#index.get(name);
      if (!bundle) return undefined;
      const isCurrent = () => this.#index.get(name) === bundle;
      const result = await inspectFile(bundle, inspectionOf(bundle), isCurrent);
      if (result) return { bundle, ...result };
    }
  }
}

/** Checks only the size and the directory of an archive, which is quick enough before a bundle is displayed. */
export async function quickCheck(bundle: StoredBundle): Promise<ContentCheck | undefined> {
  return await inspectFile(bundle, inspectDirectory, () => true);
}

/** SHA-256 of a whole file as hex. @throws Error of the system; the reason of `signal` */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const handle = await open(path, 'r');
  try {
    return await hashOf(fileSource(handle, (await handle.stat()).size), signal);
  } finally {
    await handle.close();
  }
}

async function hashOf(source: ByteSource, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of readBlocks(source, { start: 0, end: source.size }, BLOCK_BYTES)) {
    signal.throwIfAborted();
    hash.update(block);
  }
  return hash.digest('hex');
}

async function inspectDirectory(source: ByteSource): Promise<string> {
  await readBundleDirectory(source);
  return 'The directory of the archive is valid.';
}

/** @returns undefined when the file that was opened does not belong to the bundle, since that is no longer current */
async function inspectFile(
  bundle: StoredBundle,
  inspection: Inspection,
  isCurrent: () => boolean,
): Promise<ContentCheck | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(bundle.path, 'r');
    const { size } = await handle.stat();
    if (!isCurrent()) return undefined;
    if (size !== bundle.size) throw new ZipError(`The archive has ${size} bytes instead of ${bundle.size}.`);
    return { ok: true, message: await inspection(fileSource(handle, size)) };
  } catch (error) {
    if (!handle && !isCurrent()) return undefined;
    return { ok: false, message: damageOf(error) };
  } finally {
    await handle?.close();
  }
}

/** What is wrong with an archive. @throws any error that says nothing about the archive */
function damageOf(error: unknown): string {
  if (error instanceof ZipError) return error.message;
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
  return error.code === 'ENOENT'
    ? 'The file of the bundle is missing.'
    : `The file cannot be read: ${error.code}.`;
}
