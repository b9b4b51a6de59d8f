import type { Logger } from '../../base/logger.ts';
import { ApiError } from '../../contract/errors.ts';
import { bundleInvalid, contentNotFound } from '../content/schema.ts';
import type { DisplayConfig } from './config.ts';
import type { Bundles, Target, TargetStore } from './ports.ts';
import { firstTarget, type LocatedTarget, type MissingBundle } from './target.ts';

export interface RequestedTargetOptions {
  targetStore: TargetStore;
  bundles: Bundles;
  /** Address of a bundle's start page. */
  bundleUrl: (name: string) => string;
  /** The present configuration. */
  config: () => DisplayConfig;
  log: Pick<Logger, 'warn'>;
}

/** The target that was requested last, also while the waiting page says why it is not shown. It is saved. */
export class RequestedTarget {
  readonly #options: RequestedTargetOptions;
  #target: Target = { mode: 'waiting' };
  /** Number of the last request, and of the last one that was carried out. */
  #lastRequest = 0;
  #lastTaken = 0;

  constructor(options: RequestedTargetOptions) {
    this.#options = options;
  }

  /** Decides what is shown first. @param primary id of the primary screen */
  async first(
    primary: string | undefined,
  ): Promise<{ target: LocatedTarget; missing: MissingBundle | undefined }> {
    const { targetStore, bundles, config, log } = this.#options;
    const { wanted, missing } = await firstTarget(targetStore, bundles, config(), primary);
    if (missing) log.warn({ bundle: missing }, 'the bundle cannot be shown');
    // Saved, so that a restarted agent shows the same target even if the startup settings change.
    this.#target = wanted;
    this.#save(false);
    return { target: missing ? { mode: 'waiting' } : this.#locate(wanted), missing };
  }

  /** The number of a request that arrives now. */
  next(): number {
    this.#lastRequest += 1;
    return this.#lastRequest;
  }

  /** @throws ApiError `content_not_found`, `bundle_invalid` for a damaged one, with the reason */
  async checkBundle(name: string): Promise<void> {
    const { bundles } = this.#options;
    const problem = await bundles.problem(name);
    // It may have been deleted meanwhile.
    if (problem?.code === 'bundle_missing' || bundles.locate(name) === undefined) {
      throw new ApiError(contentNotFound, `There is no bundle ${name}.`);
    }
    if (problem) throw new ApiError(bundleInvalid, problem.message);
  }

  /** @returns what to show; undefined when a later request has overtaken this one */
  take(target: Target, request: number): LocatedTarget | undefined {
    if (request < this.#lastTaken) return undefined;
    this.#lastTaken = request;
    this.#target = target;
    this.save();
    return this.#locate(target);
  }

  /** Saves the target; with `display.resume_on_boot` also for the next boot. */
  save(): void {
    this.#save(this.#options.config().resume_on_boot);
  }

  #locate(target: Target): LocatedTarget {
    return target.mode === 'bundle' ? { ...target, url: this.#options.bundleUrl(target.name) } : target;
  }

  /** @param lasting also for the next boot */
  #save(lasting: boolean): void {
    this.#options.targetStore.save(this.#target, lasting).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'the target could not be saved');
    });
  }
}
