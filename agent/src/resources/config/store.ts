import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { ApiError, storageError } from '../../contract/errors.ts';
import { badRequest } from '../../contract/issues.ts';
import type { EventBus } from '../../events/bus.ts';
import { validator } from '../../validation/validator.ts';
import { Appliers } from './appliers.ts';
import type { Applied } from './fields.ts';
import { ConfigFile, type ConfigFormat } from './file.ts';
import type { BoardLimits, BrokenRule, ConfigBinding, ConfigGroup, GroupValue } from './group.ts';
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
/** Patches and repeated applications that wait or are under way; more are refused. */
const MAX_WAITING = 64;

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

/** The content of the file, and the whole configuration that follows from it. */
interface Version {
  document: JsonObject;
  config: JsonObject;
}

/** The result of a patch. */
export interface PatchResult {
  config: JsonObject;
  /** By dotted path of each leaf of the patch. */
  applied: Record<string, Applied>;
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
  /** One patch or repeated application at a time, in order of arrival. */
  readonly #turns = new Mutex();
  #current: Version;

  private constructor(options: ConfigOptions) {
    this.#options = options;
    this.#file = new ConfigFile(options.folder, options.log, options.format);
    this.#appliers = new Appliers(options.log);
    this.#current = this.#version({});
  }

  /**
   * Reads the stored configuration. Never fails because of the file's content; see {@link problems}.
   * @throws Error for invalid `defaults`
   */
  static async open(options: ConfigOptions): Promise<ConfigStore> {
    const store = new ConfigStore(options);
    const [invalid] = options.defaults ? store.#issuesOf(store.#current) : [];
    if (invalid) throw new Error(`the default of ${invalid.path} ${invalid.message}`);
    const { document, problem } = await store.#file.load();
    if (problem !== undefined) store.#fileProblems.push(problem);
    if (Object.keys(document).length > 0) store.#use(document);
    return store;
  }

  /** The whole current configuration. The object is frozen; a patch replaces it. */
  get tree(): JsonObject {
    return this.#current.config;
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
    await this.#inTurn(() => this.#appliers.apply(this.tree, this.tree, [path], true)).catch(
      (error: unknown) => {
        this.#options.log.error({ err: error, path }, 'stored configuration not applied');
      },
    );
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
    return this.#inTurn(() => this.#patch(patch));
  }

  /** @throws ApiError `too_many_requests` */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#turns.waiting >= MAX_WAITING) throw new ApiError('too_many_requests');
    return await this.#turns.run(work);
  }

  async #patch(patch: JsonObject): Promise<PatchResult> {
    const { contract, bus } = this.#options;
    const before = this.tree;
    const leaves = leavesOf(contract.Config, patch, before);
    const version = await this.#store(patch).catch((error: unknown) => {
      throw storageError(error);
    });
    const paths = [...leaves.keys()];
    const { config } = version;
    this.#current = version;
    await this.#appliers.apply(config, before, paths);
    bus.emit(contract.configChanged, { paths, config });
    const applied = [...leaves].map(([path, declared]) => [path, this.#appliers.effective(path, declared)]);
    return { config, applied: Object.fromEntries(applied) };
  }

  /** Merges a patch into the current version and stores the result. @throws ApiError for one that is not allowed */
  async #store(patch: JsonObject): Promise<Version> {
    await this.#appliers.check(patch);
    const version = this.#version(mergePatch(this.#current.document, patch));
    const issues = this.#issuesOf(version);
    if (issues.length > 0) throw badRequest('', issues);
    await this.#file.write(version.document);
    return version;
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
    this.#current = version;
    if (removed.size === 0) return;
    const list = [...removed].slice(0, 20).join(', ');
    this.#fileProblems.push(`Invalid stored values were replaced by their defaults: ${list}.`);
    log.error({ paths: [...removed] }, 'invalid values in the stored configuration');
  }
}
