import type { Logger } from '../../base/logger.ts';
import { storageError } from '../../contract/errors.ts';
import { badRequest } from '../../contract/issues.ts';
import type { EventBus } from '../../events/bus.ts';
import { validator } from '../../validation/validator.ts';
import { Appliers } from './appliers.ts';
import { ConfigFile, type ConfigFormat } from './file.ts';
import type { BoardLimits, BrokenRule, ConfigBinding, ConfigGroup, GroupValue } from './group.ts';
import {
  type Change,
  type Event,
  initialState,
  type Message,
  next,
  type PatchResult,
  type State,
  type Version,
  type Work,
} from './machine.ts';
import type { ConfigContract } from './schema.ts';
import {
  deepFreeze,
  type JsonObject,
  keysMissingIn,
  leavesOf,
  mergePatch,
  withDefaults,
  without,
} from './tree.ts';

/** Most invalid fields that are removed from a stored document; with more of them, all of it is unused. */
const MAX_REPAIRS = 200;

export interface ConfigOptions {
  /** Folder of config.json. */
  folder: string;
  contract: ConfigContract;
  bus: EventBus;
  log: Logger;
  board: BoardLimits;
  /** Values that take the place of the schema's defaults on this device. */
  defaults?: JsonObject;
  format?: ConfigFormat;
}

/** The configuration as most of the agent sees it: read-only. */
export type ConfigReader = Pick<ConfigStore, 'get'>;

/**
 * The configuration: one document, which is merged, checked, stored and applied in the same order for every client
 * (docs/api.md: Configuration). It knows no group by name; the resources declare them.
 */
export class ConfigStore {
  readonly #options: ConfigOptions;
  readonly #file: ConfigFile;
  readonly #appliers: Appliers;
  readonly #fileProblems: string[] = [];
  #state: State;

  private constructor(options: ConfigOptions) {
    this.#options = options;
    this.#file = new ConfigFile(options.folder, options.log, options.format);
    this.#appliers = new Appliers(options.log);
    this.#state = initialState(this.#version({}));
  }

  /**
   * Reads the stored configuration. Never fails because of the file's content; see {@link problems}.
   * @throws Error for invalid `defaults`
   */
  static async open(options: ConfigOptions): Promise<ConfigStore> {
    const store = new ConfigStore(options);
    const [invalid] = options.defaults ? store.#issuesOf(store.#state.current) : [];
    if (invalid) throw new Error(`the default of ${invalid.path} ${invalid.message}`);
    const { document, problem } = await store.#file.load();
    if (problem !== undefined) store.#fileProblems.push(problem);
    if (Object.keys(document).length > 0) store.#use(document);
    return store;
  }

  /** The whole current configuration. The object is frozen; a patch replaces it. */
  get tree(): JsonObject {
    return this.#state.current.config;
  }

  /** The current values of one group; frozen. */
  get<G extends ConfigGroup>({ name }: G): GroupValue<G> {
    // Every part of the tree has been validated against the group's schema or is a default in it.
    return this.tree[name] as GroupValue<G>;
  }

  /** Makes changes of a group take effect from now on. @throws Error for a group that is bound already */
  bind(binding: ConfigBinding): void {
    this.#appliers.bind(binding);
  }

  /** Why the device runs with other values than the stored ones, as sentences for health. */
  problems(): string[] {
    return [...this.#fileProblems, ...this.#appliers.problems()];
  }

  /**
   * Applies the stored value of one field: at the start, and when the configured program has lost its settings. It waits
   * for its turn among the patches. Never rejects: a failure is logged and reported by health.
   * @param path dotted, of a field of a group: `device.timezone`
   */
  async applyStored(path: string): Promise<void> {
    const reply = Promise.withResolvers<PatchResult>();
    this.#handle({ type: 'requested', request: { kind: 'reapply', path, reply } });
    await reply.promise.catch((error: unknown) => {
      this.#options.log.error({ err: error, path }, 'stored configuration not applied');
    });
  }

  /**
   * Merges a patch (RFC 7396) into the configuration, stores it, then applies it. Patches take effect one after the
   * other in order of arrival. A value that a resource fails to apply stays stored: its field is answered
   * `reboot_required`, and the next patch that names it tries again.
   * @param patch fits `ConfigPatch` of the contract
   * @throws ApiError `bad_request` with all issues of the result, `insufficient_storage`, `too_many_requests`, and the
   *   errors of the groups' own checks; then nothing has changed
   */
  patch(patch: JsonObject): Promise<PatchResult> {
    const reply = Promise.withResolvers<PatchResult>();
    this.#handle({ type: 'requested', request: { kind: 'patch', patch, reply } });
    return reply.promise;
  }

  #handle(event: Event): void {
    const before = this.#state.work;
    const { state, messages } = next(this.#state, event);
    this.#state = state;
    for (const message of messages) this.#send(message);
    if (!state.work || state.work === before) return;
    void this.#perform(state.work)
      .catch((error: unknown): Event => ({ type: 'failed', error: storageError(error) }))
      .then((done) => this.#handle(done));
  }

  #send(message: Message): void {
    if (message.type === 'reject') {
      message.request.reply.reject(message.error);
      return;
    }
    const { config, leaves } = message.change;
    if (message.type === 'publish') {
      const paths = [...leaves.keys()];
      this.#options.bus.emit(this.#options.contract.configChanged, { paths, config });
    } else {
      const applied = Object.fromEntries(
        [...leaves].map(([path, declared]) => [path, this.#appliers.effective(path, declared)]),
      );
      message.request.reply.resolve({ config, applied });
    }
  }

  async #perform(work: Work): Promise<Event> {
    switch (work.type) {
      case 'check':
        return { type: 'checked', change: await this.#check(work.patch, work.current) };
      case 'write':
        await this.#file.write(work.change.document);
        return { type: 'written' };
      case 'apply':
        await this.#appliers.apply(work);
        return { type: 'applied' };
    }
  }

  /** Merges a patch into the current version. @throws ApiError for a result that is not allowed */
  async #check(patch: JsonObject, current: Version): Promise<Change> {
    await this.#appliers.check(patch);
    const version = this.#version(mergePatch(current.document, patch));
    const issues = this.#issuesOf(version);
    if (issues.length > 0) throw badRequest('', issues);
    return { ...version, leaves: leavesOf(this.#options.contract.Config, patch, current.config) };
  }

  /** A document with the whole tree that follows from it: its known fields over the defaults. */
  #version(document: JsonObject): Version {
    const { defaults = {}, contract } = this.#options;
    return { document, config: deepFreeze(withDefaults(contract.Config, mergePatch(defaults, document))) };
  }

  /** The violations of the schema or, if there is none, of the rules. */
  #issuesOf({ config }: Version): BrokenRule[] {
    const { contract, board } = this.#options;
    const found = validator(contract.Config).issues(config);
    if (found.length > 0) return found;
    return contract.groups.flatMap(({ name, brokenRules }) =>
      brokenRules(config[name], board).map(({ path, message, reset = path }) => {
        return { path: `/${name}${path}`, message, reset: `/${name}${reset}` };
      }),
    );
  }

  /** Uses a stored document without its invalid values; unknown fields are kept in it but not used. */
  #use(stored: JsonObject): void {
    const { log } = this.#options;
    let version = this.#version(stored);
    const unknown = keysMissingIn(version.config, stored);
    if (unknown.length > 0) {
      log.warn({ fields: unknown.slice(0, 50) }, 'configuration fields of another version kept unused');
    }
    const removed = new Set<string>();
    for (let repairs = 0; repairs <= MAX_REPAIRS; repairs++) {
      const [issue] = this.#issuesOf(version);
      if (!issue) break;
      const pointer = issue.reset ?? issue.path;
      removed.add(pointer);
      version = this.#version(repairs < MAX_REPAIRS ? without(version.document, pointer) : {});
    }
    this.#state = initialState(version);
    if (removed.size === 0) return;
    const list = [...removed].slice(0, 20).join(', ');
    this.#fileProblems.push(`Invalid stored values were replaced by their defaults: ${list}.`);
    log.error({ paths: [...removed] }, 'invalid values in the stored configuration');
  }
}
