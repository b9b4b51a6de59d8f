/** The stored content bundles (interface: Content). Archives are kept as they came; nothing is extracted. */
import { renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { syncFolder } from '../../base/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import { ApiError, storageError } from '../../contract/errors.ts';
import { now } from '../../contract/shared.ts';
import type { Operations, RunningOperation } from '../operations/operations.ts';
import type { Operation } from '../operations/schema.ts';
import { BundleChecks, type BundleProblem, type Entry, type StoredBundle } from './checks.ts';
import { type LoadedBundle, loadBundles, makeContentFolder, readBundle } from './load.ts';
import type { DiskSpace } from './ports.ts';
import type { Bundle, Content } from './schema.ts';
import { type Description, writeSidecar } from './sidecar.ts';
import type { CheckResult } from './stored-bundle-check.ts';
import { Upload } from './upload.ts';
import { fileSource } from './zip/source.ts';
import { verifyBundle } from './zip/verify.ts';
import { ZipError } from './zip/zip-error.ts';

/** Uploads under way at once, of all links. */
export const MAX_UPLOADS = 4;
/** Where in an operation's progress the body has arrived, and where it has been verified. */
const ARRIVED = 0.7;
const VERIFIED = 0.95;
/** Of a body of unknown length, what has come when half of that part of the progress is shown, in bytes. */
const HALF_BYTES = 2 * 1024 * 1024;

export interface ContentStoreOptions {
  /** `<dataFolder>/content` */
  folder: string;
  operations: Operations;
  /** Whether the bundle is on the screen now. */
  isActive: (name: string) => boolean;
  log: Logger;
  disk: DiskSpace;
}

/**
 * Keeps the folder and an index of it in memory that always agree: the index changes in the same tick as the folder
 * does, and before a file goes. A bundle is listed when all of it is on the disk.
 */
export class ContentStore {
  readonly #options: ContentStoreOptions;
  readonly #index = new Map<string, Entry>();
  readonly #uploads = new Set<string>();
  readonly #checks: BundleChecks;
  /** Per name, what is being done to its files. */
  readonly #committing = new Map<string, Promise<void>>();
  readonly #removing = new Map<string, Promise<void>>();
  readonly #replaced: ((name: string) => void)[] = [];
  readonly #removed: (() => Promise<void>)[] = [];
  /** What {@link start} has not read yet; each ends when it is in the index, or is given up. Never rejects. */
  readonly #unread = new Map<string, PromiseWithResolvers<void>>();
  readonly #found: ((name: string) => void)[] = [];
  readonly #stopped = new AbortController();
  #reading: Promise<void> = Promise.resolve();

  private constructor(options: ContentStoreOptions) {
    this.#options = options;
    this.#checks = new BundleChecks(this.#index, this.#stopped.signal);
  }

  /**
   * Reads the folder and sweeps what a power cut has left in it; reads no archive. Never fails: the device comes up.
   */
  static async open(options: ContentStoreOptions): Promise<ContentStore> {
    const store = new ContentStore(options);
    const { bundles, unread } = await loadBundles(options.folder, options.log);
    for (const [name, description] of bundles) store.#index.set(name, store.#entry(name, description));
    for (const name of unread) store.#unread.set(name, Promise.withResolvers());
    return store;
  }

  /**
   * Reads the archives that only their bytes tell, one after the other: those whose replacement was cut short, or whose
   * description was lost. Until it is read a bundle is not there, and an upload of its name waits with its last step.
   * Ends when all are read. Never rejects.
   */
  start(): Promise<void> {
    this.#reading = this.#readUnread();
    return this.#reading;
  }

  /** Ends checks and reading, and waits for what is being written into place. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#reading;
    for (const { resolve } of this.#unread.values()) resolve();
    await Promise.allSettled([...this.#committing.values(), ...this.#removing.values()]);
  }

  async list(): Promise<Content> {
    const disk = await this.#options.disk.free();
    const bundles = [...this.#index.entries()].map(([name, { size, sha256, created }]): Bundle => {
      return { name, size_bytes: size, sha256, created, active: this.#options.isActive(name) };
    });
    return { bundles: bundles.sort((a, b) => (a.name < b.name ? -1 : 1)), disk };
  }

  /** Sentences for the operator about bundles that were found damaged, at the start or by the last check. */
  problems(): string[] {
    const unread = [...this.#unread.keys()].map(
      (name) => `The content bundle ${name} is still being read, since its last upload was cut short.`,
    );
    return [...this.#checks.problems(), ...unread];
  }

  /**
   * Undefined when there is no bundle of that name. The file may be replaced at any moment: who opens it asks again
   * afterwards, and has opened what was described when the answer is the same object.
   */
  locate(name: string): StoredBundle | undefined {
    return this.#index.get(name);
  }

  /** A quick look whether a bundle can be displayed; undefined when it can. */
  async problem(name: string): Promise<BundleProblem | undefined> {
    if (this.#unread.has(name)) {
      return { code: 'bundle_missing', message: `The bundle ${name} is still being read.` };
    }
    return this.#checks.problem(name);
  }

  /** @param listener is told when another archive is in the place of a bundle, or the first one */
  onReplaced(listener: (name: string) => void): void {
    this.#replaced.push(listener);
  }

  /** @param listener is told when a bundle that was still being read is there, or turned out to be none */
  onRead(listener: (name: string) => void): void {
    this.#found.push(listener);
  }

  /** @param listener lets go of a bundle that was removed; the removal is answered when it has */
  onRemoved(listener: () => Promise<void>): void {
    this.#removed.push(listener);
  }

  /**
   * Receives and verifies an archive. Resolves when it has been verified; what is left for the operation's `done` is
   * to bring it to the disk and into place. A client that leaves after its last byte changes nothing about that.
   * @param announced length of the body in bytes, where it is known
   * @throws ApiError `conflict` when the name is being uploaded already, `too_many_requests`, `insufficient_storage`,
   *   `bundle_invalid`, `bad_request`; the bundle that was there is untouched and the operation, if one began, `failed`
   */
  async put(name: string, body: Readable, announced: number | undefined): Promise<Operation> {
    if (this.#uploads.has(name))
      throw new ApiError('conflict', `The bundle ${name} is being uploaded already.`);
    if (this.#uploads.size >= MAX_UPLOADS) {
      throw new ApiError('too_many_requests', `${MAX_UPLOADS} bundles are being uploaded already.`);
    }
    this.#uploads.add(name);
    let upload: Upload | undefined;
    let operation: RunningOperation | undefined;
    try {
      const { folder, disk, operations } = this.#options;
      await makeContentFolder(folder);
      upload = await Upload.open({ folder, fileName: `${name}.zip`, announced, disk });
      operation = operations.start('content_upload');
      const { synced } = await this.#receive(upload, body, announced, operation);
      const running = operations.get(operation.id);
      this.#commitInBackground(name, upload, synced, operation);
      return running;
    } catch (error) {
      const known =
        error instanceof ZipError ? new ApiError('bundle_invalid', error.message) : storageError(error);
      await upload?.discard();
      this.#uploads.delete(name);
      operation?.fail(known);
      throw known;
    }
  }

  /** @returns `synced`, which ends when the file is on the disk: that goes on while it is verified */
  async #receive(
    upload: Upload,
    body: Readable,
    announced: number | undefined,
    operation: RunningOperation,
  ): Promise<{ synced: Promise<void> }> {
    await upload.receive(body, (bytes) => {
      // Towards an end that nobody knows, ever slower.
      operation.progress(ARRIVED * (announced ? bytes / announced : bytes / (bytes + HALF_BYTES)));
    });
    operation.progress(ARRIVED);
    const synced = upload.sync();
    synced.catch(() => undefined);
    try {
      await verifyBundle(fileSource(upload.handle, upload.size), {
        signal: this.#stopped.signal,
        progress: (fraction) => operation.progress(ARRIVED + fraction * (VERIFIED - ARRIVED)),
      });
    } catch (error) {
      await synced.catch(() => undefined);
      throw error;
    }
    operation.progress(VERIFIED);
    return { synced };
  }

  #commitInBackground(
    name: string,
    upload: Upload,
    synced: Promise<void>,
    operation: RunningOperation,
  ): void {
    const commit = async () => {
      try {
        await synced;
        await this.#removing.get(name)?.catch(() => undefined);
        // Whatever happens next, the sidecar is to describe the archive that is there.
        await this.#unread.get(name)?.promise;
        if (this.#unread.has(name)) throw new Error('stopped before the archive in its place was read');
        await upload.keep();
        await this.#commit(name, upload);
      } finally {
        this.#uploads.delete(name);
        this.#committing.delete(name);
      }
    };
    const committing = commit();
    this.#committing.set(name, committing);
    committing.then(
      () => operation.done(),
      async (error: unknown) => {
        this.#options.log.error({ err: error, bundle: name }, 'bundle could not be stored');
        await upload.discard();
        operation.fail(storageError(error));
      },
    );
  }

  async #commit(name: string, upload: Upload): Promise<void> {
    const { folder } = this.#options;
    const description: Description = { sha256: upload.sha256, size: upload.size, created: now() };
    const earlier = this.#index.get(name);
    const sidecar = this.#sidecar(name);
    const entry = this.#entry(name, description);
    try {
      await writeSidecar(sidecar, earlier ? { ...described(earlier), next: description } : description);
      // One tick, so that nobody finds one archive described as the other.
      renameSync(upload.path, entry.path);
    } catch (error) {
      await this.#tidy(name, earlier && described(earlier));
      throw error;
    }
    this.#index.set(name, entry);
    for (const listener of this.#replaced) this.#tell(listener, name);
    await syncFolder(folder);
    if (earlier) await this.#tidy(name, description);
  }

  /** Leaves in the sidecar what is there now and nothing else; what does not work the next start does again. */
  async #tidy(name: string, description: Description | undefined): Promise<void> {
    try {
      if (description) await writeSidecar(this.#sidecar(name), description);
      else await rm(this.#sidecar(name), { force: true });
    } catch (error) {
      this.#options.log.warn({ err: error, bundle: name }, 'sidecar could not be tidied');
    }
  }

  #tell(listener: (name: string) => void, name: string): void {
    try {
      listener(name);
    } catch (error) {
      this.#options.log.error(
        { err: error, bundle: name },
        'a bundle is another one now, and not everybody took it',
      );
    }
  }

  /**
   * Reads a stored bundle again, all of it. Who asks while a check of that archive runs gets its result.
   * @throws ApiError `content_not_found`, `too_many_requests`
   */
  check(name: string): Promise<CheckResult> {
    return this.#checks.check(name);
  }

  /**
   * Removes a bundle; an answer means that it is gone from the disk for good.
   * @throws ApiError `content_not_found`; `bundle_in_use`; `conflict` while a new archive takes its place
   */
  async remove(name: string): Promise<void> {
    if (this.#committing.has(name)) {
      throw new ApiError('conflict', `A new archive of the bundle ${name} is being put into place.`);
    }
    const entry = this.#index.get(name);
    if (!entry) throw new ApiError('content_not_found');
    if (this.#options.isActive(name)) throw new ApiError('bundle_in_use');
    this.#index.delete(name);
    const removing = this.#remove(name, entry).finally(() => this.#removing.delete(name));
    this.#removing.set(name, removing);
    await removing;
  }

  /** The archive goes first: a sidecar without one is swept, an archive without a sidecar would come back. */
  async #remove(name: string, entry: Entry): Promise<void> {
    try {
      await rm(entry.path, { force: true });
    } catch (error) {
      this.#index.set(name, entry);
      throw error;
    }
    await rm(this.#sidecar(name), { force: true });
    await syncFolder(this.#options.folder);
    // Whoever has the file open keeps its room from the upload that is to come next.
    await Promise.allSettled(this.#removed.map((listener) => listener()));
  }

  async #readUnread(): Promise<void> {
    const { folder, log } = this.#options;
    const { signal } = this.#stopped;
    for (const [name, { resolve }] of [...this.#unread]) {
      if (signal.aborted) return;
      try {
        const description = await readBundle(folder, name, log, signal);
        if (description) this.#index.set(name, this.#entry(name, description));
      } catch (error) {
        if (signal.aborted) return;
        log.error({ err: error, bundle: name }, 'bundle cannot be read');
      }
      this.#unread.delete(name);
      resolve();
      for (const listener of this.#found) this.#tell(listener, name);
    }
  }

  #entry(name: string, description: LoadedBundle): Entry {
    return { path: join(this.#options.folder, `${name}.zip`), ...description };
  }

  #sidecar(name: string): string {
    return join(this.#options.folder, `${name}.json`);
  }
}

function described({ sha256, size, created }: Entry): Description {
  return { sha256, size, created };
}
