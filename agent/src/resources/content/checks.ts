/** Checks stored bundles: the whole archive on request, its directory before it is displayed. */
import { type FileHandle, open } from 'node:fs/promises';
import { ApiError } from '../../contract/errors.ts';
import type { LoadedBundle } from './load.ts';
import type { BundleProblem } from './schema.ts';
import {
  type CheckResult,
  checkArchive,
  isSystemError,
  quickCheckArchive,
  unreadable,
} from './stored-bundle-check.ts';

/** Checks that may run at once; each reads and unpacks a whole archive. */
export const MAX_CHECKS = 2;

/** The file of a stored archive. */
export interface StoredBundle {
  path: string;
  /** As hex. */
  sha256: string;
  /** In bytes. */
  size: number;
}

/** A bundle in the store's index. */
export interface Entry extends StoredBundle, LoadedBundle {}

export class BundleChecks {
  readonly #index: ReadonlyMap<string, Entry>;
  readonly #stopped: AbortSignal;
  /** By index entry, not by name: an archive that replaces another one meanwhile gets its own check. */
  readonly #running = new Map<Entry, Promise<CheckResult>>();

  /** @param stopped aborts the running checks */
  constructor(index: ReadonlyMap<string, Entry>, stopped: AbortSignal) {
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
    const opened = await this.#openStable(name);
    if (!opened) return { code: 'bundle_missing', message: `There is no bundle ${name}.` };
    if ('ok' in opened) return { code: 'bundle_damaged', message: opened.message };
    try {
      const { ok, message } = await quickCheckArchive(opened.handle, opened.entry);
      return ok ? undefined : { code: 'bundle_damaged', message };
    } finally {
      await opened.handle.close();
    }
  }

  /**
   * Checks the whole archive of a bundle. Calls during a check of the same archive share its result.
   * @throws ApiError `content_not_found`, `too_many_requests`
   */
  check(name: string): Promise<CheckResult> {
    const entry = this.#index.get(name);
    if (!entry) throw new ApiError('content_not_found');
    const running = this.#running.get(entry);
    if (running) return running;
    if (this.#running.size >= MAX_CHECKS) {
      throw new ApiError('too_many_requests', `${MAX_CHECKS} bundles are being checked already.`);
    }
    const check = this.#check(name).finally(() => this.#running.delete(entry));
    this.#running.set(entry, check);
    return check;
  }

  async #check(name: string): Promise<CheckResult> {
    const opened = await this.#openStable(name);
    if (!opened) throw new ApiError('content_not_found');
    if ('ok' in opened) {
      const entry = this.#index.get(name);
      if (entry) entry.damage = opened.message;
      return opened;
    }
    try {
      const result = await checkArchive(opened.handle, opened.entry, this.#stopped);
      if (result.ok) delete opened.entry.damage;
      else opened.entry.damage = result.message;
      return result;
    } finally {
      await opened.handle.close();
    }
  }

  /**
   * Opens the archive of an index entry, which may be replaced or removed at any time.
   * @returns the reason when it cannot be opened; undefined when there is no such bundle
   */
  async #openStable(name: string): Promise<{ handle: FileHandle; entry: Entry } | CheckResult | undefined> {
    for (;;) {
      const entry = this.#index.get(name);
      if (!entry) return undefined;
      let handle: FileHandle | undefined;
      let failure: unknown;
      try {
        handle = await open(entry.path, 'r');
      } catch (error) {
        failure = error;
      }
      // Replaced or removed meanwhile: the file does not belong to the entry.
      if (this.#index.get(name) !== entry) {
        await handle?.close();
        continue;
      }
      if (handle) return { handle, entry };
      if (isSystemError(failure)) return unreadable(failure);
      throw failure;
    }
  }
}
