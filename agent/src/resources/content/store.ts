/** The stored content bundles (interface: Content). Archives are kept as uploaded; nothing is extracted. */
import { renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { syncFolder } from '../../base/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { ApiError, storageError } from '../../contract/errors.ts';
import { now } from '../../contract/shared.ts';
import type { DiskSpace } from '../../uploads/ports.ts';
import type { Operations, RunningOperation } from '../operations/operations.ts';
import type { Operation } from '../operations/schema.ts';
import { BundleChecks, type BundleProblem } from './checks.ts';
import { loadBundles, makeContentFolder, readBundle } from './load.ts';
import type { Content, ContentCheck } from './schema.ts';
import { type Description, type StoredBundle, writeSidecar } from './sidecar.ts';
import { type BundleUpload, receiveBundle } from './upload.ts';
import { ZipError } from './zip/zip-entry.ts';

/** Uploads in progress at once, over all links. */
export const MAX_UPLOADS = 4;

export interface ContentStoreOptions {
  /** `<dataFolder>/content` */
  folder: string;
  operations: Operations;
  /** Whether the bundle is displayed now. */
  isActive: (name: string) => boolean;
  /** Closes the file of a removed bundle, whose space is not free before. */
  closeRemoved: () => Promise<void>;
  log: Logger;
  disk: DiskSpace;
}

/**
 * Keeps the folder and an index of it in memory, which always agree: the index changes in the same tick as the folder
 * when a bundle is added, and before its file is removed. A bundle is listed once all of it is on the disk.
 */
export class ContentStore {
  readonly #options: ContentStoreOptions;
  readonly #index = new Map<string, StoredBundle>();
  readonly #checks: BundleChecks;
  /** Uploads in progress by name; the promise of a verified one settles when it has been put into place. */
  readonly #uploads = new Map<string, Promise<void> | undefined>();
  /** Serialises replacing and removing files. */
  readonly #folderMutex = new Mutex();
  readonly #replacedListeners: ((name: string) => void)[] = [];
  readonly #readListeners: ((name: string) => void)[] = [];
  /** Bundles that {@link start} has not read yet; each promise resolves when it was read or the store closes. */
  readonly #unread = new Map<string, PromiseWithResolvers<void>>();
  readonly #stopped = new AbortController();
  #reading: Promise<void> = Promise.resolve();

  private constructor(options: ContentStoreOptions) {
    this.#options = options;
    this.#checks = new BundleChecks(this.#index, this.#stopped.signal);
  }

  /** Lists the folder and removes leftovers of a power cut. Reads no archive. Never fails, so that the device starts. */
  static async open(options: ContentStoreOptions): Promise<ContentStore> {
    const store = new ContentStore(options);
    const { bundles, unread } = await loadBundles(options.folder, options.log);
    for (const [name, bundle] of bundles) store.#index.set(name, bundle);
    for (const name of unread) store.#unread.set(name, Promise.withResolvers());
    return store;
  }

  /**
   * Reads the archives that only their SHA-256 identifies, one after the other: their replacement was interrupted or
   * their description lost. Until a bundle has been read it is not listed, and an upload of its name waits before its
   * last step. Resolves when all have been read. Never rejects.
   */
  start(): Promise<void> {
    this.#reading = this.#readUnread();
    return this.#reading;
  }

  /** Stops uploads, checks and reading; resolves when no file is being replaced or removed. */
  async close(): Promise<void> {
    this.#stopped.abort(new ApiError('unavailable', 'The agent is stopping.'));
    await this.#reading;
    for (const { resolve } of this.#unread.values()) resolve();
    await Promise.all(this.#uploads.values());
    await this.#folderMutex.run(() => undefined);
  }

  async list(): Promise<Content> {
    const disk = await this.#options.disk.free();
    const bundles = [...this.#index].map(([name, { size, sha256, created }]) => {
      return { name, size_bytes: size, sha256, created, active: this.#options.isActive(name) };
    });
    return { bundles: bundles.sort((a, b) => (a.name < b.name ? -1 : 1)), disk };
  }

  /** Sentences for the operator about bundles that are damaged or not read yet. */
  problems(): string[] {
    const damaged = [...this.#index].flatMap(([name, { damage }]) =>
      damage === undefined ? [] : [`The content bundle ${name} is damaged: ${damage}`],
    );
    const reason = 'is still being read, since its last upload was cut short.';
    const unread = [...this.#unread.keys()].map((name) => `The content bundle ${name} ${reason}`);
    return [...damaged, ...unread];
  }

  /**
   * The archive of a bundle; undefined when there is no such bundle. The file may be replaced at any moment: open it,
   * then call this again; the opened file is the described one if the result is the same object.
   */
  locate(name: string): StoredBundle | undefined {
    return this.#index.get(name);
  }

  /** Checks quickly whether a bundle can be displayed; undefined when it can. */
  async problem(name: string): Promise<BundleProblem | undefined> {
    if (!this.#unread.has(name)) return await this.#checks.problem(name);
    return { code: 'bundle_missing', message: `The bundle ${name} is still being read.` };
  }

  /** @param listener called when a new archive has been put into place, whether or not it replaced one */
  onReplaced(listener: (name: string) => void): void {
    this.#replacedListeners.push(listener);
  }

  /** @param listener called when `start` has read a bundle, valid or not */
  onRead(listener: (name: string) => void): void {
    this.#readListeners.push(listener);
  }

  /**
   * Receives and verifies an archive. Resolves when it has been verified; flushing it to the disk and putting it into
   * place go on in the background and end the operation. A client that leaves after its last byte does not stop that.
   * @param announced body length in bytes, if known
   * @throws ApiError `conflict` when the name is already being uploaded, `too_many_requests`, `insufficient_storage`,
   *   `bundle_invalid`, `bad_request`; the existing bundle is unchanged and the operation, if it began, has `failed`
   */
  async put(name: string, body: Readable, announced: number | undefined): Promise<Operation> {
    if (this.#uploads.has(name)) {
      throw new ApiError('conflict', `The bundle ${name} is already being uploaded.`);
    }
    if (this.#uploads.size >= MAX_UPLOADS) {
      throw new ApiError('too_many_requests', `${MAX_UPLOADS} bundles are already being uploaded.`);
    }
    this.#uploads.set(name, undefined);
    const { folder, disk, operations } = this.#options;
    const file = { folder, fileName: `${name}.zip`, announced, disk };
    let operation: RunningOperation | undefined;
    const start = () => {
      operation = operations.start('content_upload');
      return operation;
    };
    try {
      await makeContentFolder(folder);
      const upload = await receiveBundle(body, file, this.#stopped.signal, start);
      const running = operations.get(upload.operation.id);
      this.#uploads.set(name, this.#commit(name, upload));
      return running;
    } catch (error) {
      const invalid = error instanceof ZipError;
      const known = invalid ? new ApiError('bundle_invalid', error.message) : storageError(error);
      this.#uploads.delete(name);
      operation?.fail(known);
      throw known;
    }
  }

  /** Never rejects. */
  async #commit(name: string, upload: BundleUpload): Promise<void> {
    const { file, operation } = upload;
    try {
      await upload.synced;
      // The sidecar must describe the existing archive as well, so that one is identified first.
      await this.#unread.get(name)?.promise;
      if (this.#unread.has(name)) throw new Error('stopped before the archive to be replaced was read');
      await file.keep();
      await this.#folderMutex.run(() => this.#replace(name, upload));
      this.#uploads.delete(name);
      operation.done();
    } catch (error) {
      this.#options.log.error({ err: error, bundle: name }, 'bundle could not be stored');
      this.#uploads.delete(name);
      await file.discard();
      operation.fail(storageError(error));
    }
  }

  async #replace(name: string, { file, sha256, size }: BundleUpload): Promise<void> {
    const description: Description = { sha256, size, created: now() };
    const earlier = this.#index.get(name);
    const entry: StoredBundle = { path: join(this.#options.folder, `${name}.zip`), ...description };
    try {
      const both = earlier ? { ...described(earlier), next: description } : description;
      await writeSidecar(this.#sidecar(name), both);
      // Synchronous, so that nobody finds the new archive under the old description.
      renameSync(file.path, entry.path);
    } catch (error) {
      await this.#tidySidecar(name, earlier && described(earlier));
      throw error;
    }
    this.#index.set(name, entry);
    this.#notify(this.#replacedListeners, name);
    await syncFolder(this.#options.folder);
    if (earlier) await this.#tidySidecar(name, description);
  }

  /** Makes the sidecar describe the existing archive only. A failure is harmless: the next start does it again. */
  async #tidySidecar(name: string, description: Description | undefined): Promise<void> {
    try {
      if (description) await writeSidecar(this.#sidecar(name), description);
      else await rm(this.#sidecar(name), { force: true });
    } catch (error) {
      this.#options.log.warn({ err: error, bundle: name }, 'sidecar could not be tidied');
    }
  }

  #notify(listeners: readonly ((name: string) => void)[], name: string): void {
    for (const listener of listeners) {
      try {
        listener(name);
      } catch (error) {
        this.#options.log.error({ err: error, bundle: name }, 'a listener of content bundles failed');
      }
    }
  }

  /** Reads a stored bundle completely, see {@link BundleChecks.check}. */
  check(name: string): Promise<ContentCheck> {
    return this.#checks.check(name);
  }

  /**
   * Removes a bundle. When this resolves, the removal survives a power cut.
   * @throws ApiError `content_not_found`; `bundle_in_use`; `conflict` while a new archive is being put into place
   */
  async remove(name: string): Promise<void> {
    if (this.#uploads.get(name)) {
      throw new ApiError('conflict', `A new archive of the bundle ${name} is being put into place.`);
    }
    const entry = this.#index.get(name);
    if (!entry) throw new ApiError('content_not_found');
    if (this.#options.isActive(name)) throw new ApiError('bundle_in_use');
    this.#index.delete(name);
    await this.#folderMutex.run(async () => {
      try {
        // The archive first: without it the sidecar is swept; without the sidecar the archive would come back.
        await rm(entry.path, { force: true });
      } catch (error) {
        this.#index.set(name, entry);
        throw error;
      }
      await rm(this.#sidecar(name), { force: true });
      await syncFolder(this.#options.folder);
      await this.#options.closeRemoved().catch((error: unknown) => {
        this.#options.log.error({ err: error, bundle: name }, 'a removed bundle could not be closed');
      });
    });
  }

  async #readUnread(): Promise<void> {
    const { folder, log } = this.#options;
    const { signal } = this.#stopped;
    for (const [name, { resolve }] of [...this.#unread]) {
      if (signal.aborted) return;
      try {
        const bundle = await readBundle(folder, name, log, signal);
        if (bundle) this.#index.set(name, bundle);
      } catch (error) {
        if (signal.aborted) return;
        log.error({ err: error, bundle: name }, 'bundle cannot be read');
      }
      this.#unread.delete(name);
      resolve();
      this.#notify(this.#readListeners, name);
    }
  }

  #sidecar(name: string): string {
    return join(this.#options.folder, `${name}.json`);
  }
}

function described({ sha256, size, created }: StoredBundle): Description {
  return { sha256, size, created };
}
