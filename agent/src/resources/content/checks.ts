/** Checks stored bundles: the whole archive on request, its directory before it is displayed. */

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { errorCode } from '../../base/system-error.ts';
import { ApiError } from '../../contract/errors.ts';
import { type StoredBundle, wrongSize } from './bundle-files.ts';
import type { BundleProblem, ContentCheck } from './schema.ts';
import { contentNotFound } from './schema.ts';
import { type ByteSource, fileSource, readAhead } from './zip/source.ts';
import { readBundleDirectory, verifyBundle } from './zip/verify.ts';
import { ZipError } from './zip/zip-entry.ts';

/** Checks that may run at once; each reads and unpacks a whole archive. */
export const MAX_CHECKS = 2;
/** Bytes hashed at a time. */
const BLOCK_BYTES = 256 * 1024;

/** What a check of an archive does. @returns a message @throws ZipError when the archive is damaged */
type Inspection = (source: ByteSource, bundle: StoredBundle) => Promise<string>;

export class BundleChecks {
  readonly #index: ReadonlyMap<string, StoredBundle>;
  readonly #stopped: AbortSignal;
  /** By archive, not by name: one that replaces another meanwhile gets its own check. */
  readonly #running = new Map<StoredBundle, Promise<ContentCheck>>();

  /** @param stopped aborts the running checks */
  constructor(index: ReadonlyMap<string, StoredBundle>, stopped: AbortSignal) {
    this.#index = index;
    this.#stopped = stopped;
  }

  /** Messages about bundles that were found damaged at the start or by the last check. */
  problems(): string[] {
    return [...this.#index].flatMap(([name, { damage }]) =>
      damage === undefined ? [] : [`The content bundle ${name} is damaged: ${damage}`],
    );
  }

  /** Checks quickly whether a bundle can be displayed. @returns undefined when it can */
  async problem(name: string): Promise<BundleProblem | undefined> {
    const result = await this.#inspect(name, async (source) => {
      await readBundleDirectory(source);
      return 'The directory of the archive is valid.';
    });
    if (!result) return { code: 'bundle_missing', message: `There is no bundle ${name}.` };
    return result.ok ? undefined : { code: 'bundle_damaged', message: result.message };
  }

  /**
   * Checks the whole archive of a bundle. Calls during a check of the same archive share its result.
   * @throws ApiError `content_not_found`, `too_many_requests`
   */
  check(name: string): Promise<ContentCheck> {
    const bundle = this.#index.get(name);
    if (!bundle) throw new ApiError(contentNotFound);
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
    const result = await this.#inspect(name, async (source, { sha256, size }) => {
      const entries = await verifyBundle(source, { signal: this.#stopped });
      if ((await this.#hash(source)) !== sha256) {
        throw new ZipError('The archive is not the one that was uploaded: its SHA-256 differs.');
      }
      return `The bundle is whole: ${entries.size} entries, ${size} bytes.`;
    });
    if (!result) throw new ApiError(contentNotFound);
    const { bundle, ok, message } = result;
    if (ok) delete bundle.damage;
    else bundle.damage = message;
    return { ok, message };
  }

  /** @returns undefined when there is no such bundle */
  async #inspect(
    name: string,
    inspection: Inspection,
  ): Promise<(ContentCheck & { bundle: StoredBundle }) | undefined> {
    const bundle = this.#index.get(name);
    if (!bundle) return undefined;
    try {
      return { bundle, ok: true, message: await inspectFile(bundle, inspection) };
    } catch (error) {
      if (this.#stopped.aborted) throw error;
      // Replaced or removed before it was opened.
      if (errorCode(error) === 'ENOENT' && this.#index.get(name) !== bundle) {
        return await this.#inspect(name, inspection);
      }
      return { bundle, ok: false, message: reasonOf(error) };
    }
  }

  async #hash(source: ByteSource): Promise<string> {
    const hash = createHash('sha256');
    for await (const block of readAhead(source, { start: 0, end: source.size }, BLOCK_BYTES)) {
      this.#stopped.throwIfAborted();
      hash.update(block);
    }
    return hash.digest('hex');
  }
}

async function inspectFile(bundle: StoredBundle, inspection: Inspection): Promise<string> {
  const handle = await open(bundle.path, 'r');
  try {
    const { size } = await handle.stat();
    if (size !== bundle.size) throw new ZipError(wrongSize(bundle, size));
    return await inspection(fileSource(handle, size), bundle);
  } finally {
    await handle.close();
  }
}

/** What is wrong with an archive. @throws any error that says nothing about the archive */
function reasonOf(error: unknown): string {
  if (error instanceof ZipError) return error.message;
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  const code = errorCode(error);
  return code === 'ENOENT' ? 'The file of the bundle is missing.' : `The file cannot be read: ${code}.`;
}
