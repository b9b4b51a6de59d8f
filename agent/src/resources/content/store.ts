/** The stored content bundles. Archives are kept as uploaded; nothing is extracted. */
import { rename } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { removeFile, syncFolder } from '../../base/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import { ApiError, storageError } from '../../contract/errors.ts';
import type { DiskSpace } from '../../uploads/ports.ts';
import { type Turn, UploadTurns } from '../../uploads/turns.ts';
import type { Operations, RunningOperation } from '../operations/operations.ts';
import type { Operation } from '../operations/schema.ts';
import { loadBundles, makeBundleFolder, type StoredBundle, storedBundle } from './bundle-files.ts';
import { BundleChecks } from './checks.ts';
import type { Content } from './schema.ts';
import { bundleInUse, bundleInvalid, contentNotFound } from './schema.ts';
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
  /** Closes the archives of removed bundles and replaced ones: until then they take up space. */
  closeRemoved: () => Promise<void>;
  log: Logger;
  disk: DiskSpace;
}

/** Keeps the folder and an index of it in memory. A bundle is listed once all of it is on the disk. */
export class ContentStore {
  readonly checks: BundleChecks;
  readonly #options: ContentStoreOptions;
  readonly #index: Map<string, StoredBundle>;
  readonly #turns = new UploadTurns(MAX_UPLOADS);
  readonly #replacedListeners: ((name: string) => void)[] = [];
  readonly #stopped = new AbortController();

  private constructor(options: ContentStoreOptions, index: Map<string, StoredBundle>) {
    this.#options = options;
    this.#index = index;
    this.checks = new BundleChecks(index, this.#stopped.signal);
  }

  /** Lists the folder and removes leftovers of a power cut. Reads no archive. Never fails, so that the device starts. */
  static async open(options: ContentStoreOptions): Promise<ContentStore> {
    return new ContentStore(options, await loadBundles(options.folder, options.log));
  }

  /** Stops uploads and checks; resolves when no archive is being put into place. */
  async close(): Promise<void> {
    this.#stopped.abort(new ApiError('unavailable', 'The agent is stopping.'));
    await this.#turns.settled();
  }

  async list(): Promise<Content> {
    const disk = await this.#options.disk.free();
    const bundles = [...this.#index].map(([name, { size, sha256, created }]) => {
      return { name, size_bytes: size, sha256, created, active: this.#options.isActive(name) };
    });
    return { bundles: bundles.sort((a, b) => (a.name < b.name ? -1 : 1)), disk };
  }

  /**
   * The archive of a bundle, another object after each replacement; undefined when there is no such bundle. Its file may
   * be removed at any moment.
   */
  locate(name: string): StoredBundle | undefined {
    return this.#index.get(name);
  }

  /** @param listener called when a new archive has been put into place, whether or not it replaced one */
  onReplaced(listener: (name: string) => void): void {
    this.#replacedListeners.push(listener);
  }

  /**
   * Receives and verifies an archive. Resolves when it has been verified; flushing it to the disk and putting it into
   * place go on in the background and end the operation. A client that leaves after its last byte does not stop that.
   * @param announced body length in bytes, if known
   * @param id of the operation, chosen by the client
   * @throws ApiError `conflict` for an id that exists and while the name is being uploaded, `too_many_requests`, `insufficient_storage`,
   *   `bundle_invalid`, `bad_request`; the existing bundle is unchanged and the operation, if it began, has `failed`
   */
  async put(name: string, body: Readable, announced: number | undefined, id?: string): Promise<Operation> {
    const turn = await this.#turns.begin(name, body, `bundle ${name}`);
    const { folder, disk, operations } = this.#options;
    const file = { folder, fileName: `${name}.zip`, announced, disk };
    let operation: RunningOperation | undefined;
    const start = () => {
      operation = operations.start('content_upload', { id, name, bytesTotal: announced ?? null });
      return operation;
    };
    try {
      await makeBundleFolder(folder);
      const upload = await receiveBundle(body, file, this.#stopped.signal, start);
      const running = operations.get(upload.operation.id);
      turn.storing();
      void this.#commit(name, upload, turn);
      return running;
    } catch (error) {
      const invalid = error instanceof ZipError;
      const known = invalid ? new ApiError(bundleInvalid, error.message) : storageError(error);
      turn.end();
      operation?.fail(known);
      throw known;
    }
  }

  /** Never rejects. */
  async #commit(name: string, upload: BundleUpload, turn: Turn): Promise<void> {
    const { file, operation } = upload;
    try {
      await upload.synced;
      await file.keep();
      await this.#replace(name, upload);
      turn.end();
      operation.done();
    } catch (error) {
      this.#options.log.error({ err: error, bundle: name }, 'bundle could not be stored');
      await file.discard();
      turn.end();
      operation.fail(storageError(error));
    }
  }

  /** After a power cut between the steps both archives exist, and the newer one counts. */
  async #replace(name: string, upload: BundleUpload): Promise<void> {
    const { folder } = this.#options;
    const earlier = this.#index.get(name);
    // Later than the earlier archive even if the clock was set back.
    const created = Math.max(Date.now(), earlier ? Date.parse(earlier.created) + 1 : 0);
    const bundle = storedBundle(folder, name, created, upload);
    await rename(upload.file.path, bundle.path);
    this.#index.set(name, bundle);
    this.#notifyReplaced(name);
    await syncFolder(folder);
    if (earlier) await this.#removeEarlier(earlier);
  }

  /** Never rejects: an archive that cannot be removed is only space lost until the next start. */
  async #removeEarlier(earlier: StoredBundle): Promise<void> {
    try {
      await removeFile(earlier.path);
      await this.#options.closeRemoved();
    } catch (error) {
      this.#options.log.warn({ err: error, path: earlier.path }, 'a replaced archive could not be removed');
    }
  }

  #notifyReplaced(name: string): void {
    for (const listener of this.#replacedListeners) {
      try {
        listener(name);
      } catch (error) {
        this.#options.log.error({ err: error, bundle: name }, 'a listener of content bundles failed');
      }
    }
  }

  /**
   * Removes a bundle. When this resolves, the removal survives a power cut.
   * @throws ApiError `content_not_found`; `bundle_in_use`; `conflict` when a new archive takes long to be put into place
   */
  async remove(name: string): Promise<void> {
    if (!(await this.#turns.stored(name))) {
      throw new ApiError('conflict', `A new archive of the bundle ${name} is being put into place.`);
    }
    const bundle = this.#index.get(name);
    if (!bundle) throw new ApiError(contentNotFound);
    if (this.#options.isActive(name)) throw new ApiError(bundleInUse);
    this.#index.delete(name);
    try {
      await removeFile(bundle.path);
    } catch (error) {
      if (!this.#index.has(name)) this.#index.set(name, bundle);
      throw error;
    }
    await this.#options.closeRemoved();
  }
}
