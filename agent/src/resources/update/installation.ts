/** Receives update bundles and installs them into the inactive slot. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeFolder, sweepTemporaryFiles } from '../../base/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import { errorMessage } from '../../base/system-error.ts';
import { withTimeout } from '../../base/timeout.ts';
import { ApiError, storageError } from '../../contract/errors.ts';
import type { DiskSpace } from '../../uploads/ports.ts';
import { receiveUnhashed } from '../../uploads/receive.ts';
import { TemporaryFile } from '../../uploads/temporary-file.ts';
import type { Operations, RunningOperation } from '../operations/operations.ts';
import type { Operation } from '../operations/schema.ts';
import type { BundleSource, FleetInstaller } from './fleet/ports.ts';
import { installError } from './install-error.ts';
import type { BundleInstaller, InstallRequest, SlotFacts } from './ports.ts';
import { checkHeader, HEADER_BYTES } from './raucb-header.ts';
import { otherSlot } from './slot-status.ts';
import type { SlotTrial } from './slot-trial.ts';
import type { Slots } from './slots.ts';
import type { StateFile, UpdateState } from './state-file.ts';

/** Temporary names of RAUC's status file (g_file_set_contents). */
const STATUS_LEFTOVER = /^central\.raucs\.[0-9A-Z]{6}$/;
/** How long an upload waits for the end of one that broke off, in ms. */
const WAIT_MS = 10_000;
/** Progress of the operation when the body has arrived. */
const ARRIVED = 0.3;

export interface InstallationOptions {
  /** For received bundles. */
  folder: string;
  /** Where the update service has its status file (`data-directory` of RAUC's system.conf). */
  serviceFolder: string;
  disk: DiskSpace;
  operations: Operations;
  slots: Slots;
  trial: Pick<SlotTrial, 'requireNoTrial' | 'requireSlots'>;
  installer: BundleInstaller;
  state: StateFile;
  /** `update.allow_downgrade` */
  allowDowngrade: () => boolean;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** What is remembered of a running installation. */
interface BegunInstallation {
  reference: string | null;
  /** Finished installations of the slot before. */
  earlier: number;
}

/** One installation at a time, from the first byte to the end of its operation. */
export class Installation implements FleetInstaller {
  readonly #options: InstallationOptions;
  readonly #stopping = new AbortController();
  #resumed: RunningOperation | undefined;
  /** What is being received from a client; undefined once a slot is written. */
  #body: Readable | undefined;
  /** Resolves at the end of the current installation. */
  #ended = Promise.withResolvers<void>();

  constructor(options: InstallationOptions) {
    this.#options = options;
  }

  /** @throws ApiError `conflict` while a bundle is received or installed; `unavailable` */
  async requireReady(): Promise<void> {
    const { slots, trial } = this.#options;
    await this.#whenEnded();
    slots.requireUnused();
    await trial.requireSlots();
  }

  /** Waits for an upload whose body has broken off, which still takes a moment to end. Never rejects. */
  async #whenEnded(): Promise<void> {
    // On the serial link, the body shows that only in the next turn of the event loop.
    if (this.#body) await nextTurn();
    if (!this.#body?.readableAborted) return;
    await withTimeout(this.#ended.promise, WAIT_MS).catch(() => undefined);
  }

  /**
   * Receives a bundle and begins to install it. Resolves when it has arrived; the installation goes on.
   * @param announced body length in bytes, if known
   * @param id of the operation, chosen by the client
   * @throws ApiError `conflict`, `insufficient_storage`, `bundle_invalid` for a body that cannot be a bundle,
   *   `bad_request` for one that breaks off; the operation, if it began, has `failed`
   */
  async put(body: Readable, announced: number | undefined, id?: string): Promise<Operation> {
    const { folder, disk, operations, slots, trial } = this.#options;
    trial.requireNoTrial();
    await this.#whenEnded();
    slots.requireUnused();
    slots.setUse('receiving');
    this.#body = body;
    let operation: RunningOperation | undefined;
    let file: TemporaryFile | undefined;
    try {
      await makeFolder(folder, 0o700);
      file = await TemporaryFile.create({ folder, fileName: 'bundle.raucb', announced, disk });
      operation = operations.start('update_install', { id, bytesTotal: announced ?? null });
      await this.#remember({ id: operation.id, reference: null, earlier: null });
      const running = operation;
      const size = await receiveUnhashed(body, file, {
        announced,
        inspectStart: { bytes: HEADER_BYTES, inspect: (start) => checkHeader(start, announced) },
        progress: (fraction, bytes) => {
          running.received(bytes);
          running.progress(fraction * ARRIVED);
        },
        signal: this.#stopping.signal,
      });
      operation.arrived(size);
      await file.sync();
      // The update service refuses a file that somebody could still write.
      await file.keep();
      const answer = operations.get(operation.id);
      void this.#installFile(file, operation);
      return answer;
    } catch (error) {
      await file?.discard();
      const known = storageError(error);
      operation?.fail(known);
      await this.#end();
      throw known;
    }
  }

  async installFrom(bundle: BundleSource, progress: (fraction: number) => void): Promise<void> {
    const { operations, slots, trial } = this.#options;
    await slots.read();
    trial.requireNoTrial();
    slots.requireUnused();
    slots.setUse('receiving');
    const { url: source, reference, ...access } = bundle;
    const operation = operations.start('update_install');
    const report = (fraction: number) => {
      operation.progress(fraction);
      progress(fraction);
    };
    const error = await this.#install({ source, ...access }, operation, reference, report);
    if (error) throw error;
  }

  /** Before anything else: makes the operation known that an earlier agent began. */
  async prepare(): Promise<void> {
    const { folder, operations, slots, state } = this.#options;
    await sweepTemporaryFiles(folder);
    const begun = state.current.operation;
    if (begun?.earlier == null) await this.#sweepService();
    if (!begun) return;
    this.#resumed = operations.resume(begun.id, 'update_install');
    slots.setUse(begun.earlier === null ? 'receiving' : 'installing');
  }

  /** Removes what a power cut has left of the service's status file. Only while the service does not write it. */
  async #sweepService(): Promise<void> {
    const { serviceFolder } = this.#options;
    const names = await readdir(serviceFolder).catch(() => []);
    for (const name of names.filter((each) => STATUS_LEFTOVER.test(each))) {
      await rm(join(serviceFolder, name), { force: true }).catch(() => undefined);
    }
  }

  /** Continues or ends that operation. Never rejects. */
  async proceed(): Promise<void> {
    const begun = this.#options.state.current.operation;
    const operation = this.#resumed;
    if (!begun || !operation) return;
    if (begun.earlier !== null) {
      this.#options.log.info({ operation: begun.id }, 'an installation is picked up again');
      await this.#follow(operation, { ...begun, earlier: begun.earlier }, installing(operation));
      return;
    }
    const message = 'The agent has restarted while the bundle arrived; send it again.';
    await this.#failed(operation, new ApiError('unavailable', message));
  }

  stop(): void {
    this.#stopping.abort(new ApiError('unavailable', 'The agent is stopping.'));
  }

  /** Never rejects. */
  async #installFile(file: TemporaryFile, operation: RunningOperation): Promise<void> {
    await this.#install({ source: file.path }, operation, null, installing(operation));
    await file.discard();
  }

  /** Resolves with the error that the operation has failed with. Never rejects. */
  async #install(
    request: Omit<InstallRequest, 'transaction' | 'allowDowngrade'>,
    operation: RunningOperation,
    reference: string | null,
    progress: (fraction: number) => void,
  ): Promise<ApiError | undefined> {
    const { installer, slots, allowDowngrade } = this.#options;
    slots.setUse('installing');
    this.#body = undefined;
    let begun: BegunInstallation;
    try {
      const { installations } = await this.#target();
      begun = { reference, earlier: installations };
      await this.#remember({ id: operation.id, ...begun });
      await installer.begin({ ...request, transaction: operation.id, allowDowngrade: allowDowngrade() });
      void slots.contentChanged();
    } catch (error) {
      return await this.#failed(operation, error);
    }
    return await this.#follow(operation, begun, progress);
  }

  /** The slot that is written. */
  async #target(): Promise<SlotFacts> {
    const report = await this.#options.slots.refresh();
    if (!report) throw new ApiError('unavailable', 'This system has no slots.');
    return report.slots[otherSlot(report.booted)];
  }

  /** Waits for the end of the installation. */
  async #follow(
    operation: RunningOperation,
    { reference, earlier }: BegunInstallation,
    progress: (fraction: number) => void,
  ): Promise<ApiError | undefined> {
    const { installer, state, log } = this.#options;
    const { signal } = this.#stopping;
    try {
      const message = await installer.untilIdle(progress, signal);
      const { content, installations } = await this.#target();
      if (content !== 'complete' || installations === earlier) {
        throw installError(message, reference !== null);
      }
      await state.change({ installed: { installations, reference } });
    } catch (error) {
      // The next agent finds the operation in the state file.
      if (signal.aborted) return installError('', reference !== null);
      return await this.#failed(operation, error);
    }
    await this.#end();
    log.info({ operation: operation.id }, 'an update is installed');
    operation.done();
    return undefined;
  }

  async #failed(operation: RunningOperation, error: unknown): Promise<ApiError> {
    const { log } = this.#options;
    const stored = storageError(error);
    const known =
      stored instanceof ApiError
        ? stored
        : new ApiError('unavailable', `The update service failed: ${errorMessage(error).slice(0, 200)}`);
    log.warn({ err: error, operation: operation.id }, 'an update was not installed');
    await this.#end();
    operation.fail(known);
    return known;
  }

  async #remember(operation: UpdateState['operation']): Promise<void> {
    await this.#options.state.change({ operation });
  }

  async #end(): Promise<void> {
    const { state, slots, log } = this.#options;
    await this.#sweepService();
    slots.setUse('none');
    this.#body = undefined;
    this.#ended.resolve();
    this.#ended = Promise.withResolvers();
    // The next agent ends what this one cannot.
    if (this.#stopping.signal.aborted) return;
    await state
      .change({ operation: null })
      .catch((error: unknown) => log.warn({ err: error }, 'the state of updates could not be stored'));
    await slots.contentChanged();
  }
}

/** Takes the progress of an installation from a file, 0 to 1. */
function installing(operation: RunningOperation): (fraction: number) => void {
  return (fraction) => operation.progress(ARRIVED + fraction * (1 - ARRIVED));
}
