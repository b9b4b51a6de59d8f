import type { Logger } from '../../base/logger.ts';
import { ApiError, storageError } from '../../contract/errors.ts';
import { MAX_SCREEN_ID } from '../../contract/shared.ts';
import { badRequest, issues, parse } from '../../contract/validate.ts';
import type { EventBus } from '../../events/bus.ts';
import type { Applied } from './fields.ts';
import { ConfigFile, type ConfigFormat, type ConfigProblem, CURRENT_FORMAT } from './file.ts';
import { type BoardLimits, brokenRules } from './rules.ts';
import { Config, ConfigPatch, configChanged, type PatchResult } from './schema.ts';
import {
  isObject,
  type JsonObject,
  leavesOf,
  mergePatch,
  partialSchema,
  splitKnown,
  valueAt,
  withDefaults,
  without,
} from './tree.ts';

/** Patches waiting for their turn; more is 429. */
const MAX_WAITING = 64;
/** How long one subsystem may take to apply a change, in ms. */
const APPLY_TIMEOUT_MS = 10_000;
/** Rounds of dropping what does not fit from a stored document; each drops at least one field. */
const MAX_REPAIRS = 200;

/** An output of the board, as far as its configuration goes. */
export interface ScreenFact {
  id: string;
  primary: boolean;
}

export interface ConfigOptions {
  /** Folder of config.json. */
  folder: string;
  bus: EventBus;
  log: Logger;
  board: BoardLimits;
  /** The outputs that `display.screens.<id>` may name; asked when a patch names one. */
  screens: () => Promise<readonly ScreenFact[]>;
  /** Default of `device.name`, 1 to 63 characters. */
  deviceName?: string | undefined;
  /** Dotted paths that this system keeps and does not apply: always answered `reboot_required`. */
  notApplied?: readonly string[];
  format?: ConfigFormat;
}

/** Brings a change into effect. Both trees are whole and read-only. */
export type ApplyConfig = (config: Config, before: Config) => void | Promise<void>;

interface Applier {
  path: string;
  apply: ApplyConfig;
}

export const StoredTree = partialSchema(Config, false);

/**
 * The configuration: one document, merged, checked, kept and applied in one order, whoever asks
 * (interface: Configuration).
 */
export class ConfigStore {
  readonly #options: ConfigOptions;
  readonly #file: ConfigFile;
  readonly #appliers = new Set<Applier>();
  /** Those that failed the last time: what is stored is not in effect. */
  readonly #failed = new Set<Applier>();
  /** What has been set, as it lies in the file: fields of this schema and those that another version knows. */
  #document: JsonObject = {};
  #config: Config;
  #problem: ConfigProblem | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  private constructor(options: ConfigOptions) {
    this.#options = options;
    this.#file = new ConfigFile(options.folder, options.log, options.format ?? CURRENT_FORMAT);
    this.#config = this.#full({});
  }

  /** Reads the stored configuration. Never fails for what the file holds; see {@link problem}. */
  static async open(options: ConfigOptions): Promise<ConfigStore> {
    const store = new ConfigStore(options);
    const { document, problem } = await store.#file.load();
    store.#problem = problem;
    store.#take(document);
    return store;
  }

  /** The whole configuration in force. The object is frozen; a patch makes a new one. */
  get(): Config {
    return this.#config;
  }

  /** Why the device runs with other values than the stored ones, if it does. */
  get problem(): ConfigProblem | undefined {
    return this.#problem;
  }

  /**
   * Calls `apply` after a patch has changed something at or below a dotted path and has been stored. Patches wait
   * for it, 10 s at most. What was stored stays: when `apply` fails, the fields below `path` are answered
   * `reboot_required` in place of `live`, and the next patch that names one of them tries again.
   * @returns what ends it
   */
  onApply(path: string, apply: ApplyConfig): () => void {
    const applier = { path, apply };
    this.#appliers.add(applier);
    return () => {
      this.#appliers.delete(applier);
      this.#failed.delete(applier);
    };
  }

  /**
   * Calls what {@link onApply} registered for exactly this path with the stored configuration: at the start, and when
   * somebody has forgotten what it was told. In turn with the patches. Never rejects: a failure is logged.
   */
  async applyStored(path: string): Promise<void> {
    const applied = this.#turn.then(async () => {
      for (const applier of [...this.#appliers]) {
        if (applier.path === path) await this.#applyOne(applier, this.#config, this.#config);
      }
    });
    this.#turn = applied;
    await applied;
  }

  /**
   * Merges a patch (RFC 7396) into the configuration, stores it, then applies it. Patches take effect one after
   * the other, in the order they came.
   * @throws ApiError `bad_request` with all issues, `screen_not_found`, `insufficient_storage`,
   *   `too_many_requests`; nothing has changed then
   */
  async patch(json: unknown): Promise<PatchResult> {
    const patch = parse(ConfigPatch, json, '');
    if (!isObject(patch)) throw badRequest('', [{ path: '', message: 'must be object' }]);
    if (this.#waiting >= MAX_WAITING) throw new ApiError('too_many_requests');
    this.#waiting++;
    const result = this.#turn.then(() => this.#patchInTurn(patch));
    this.#turn = result.then(
      () => this.#waiting--,
      () => this.#waiting--,
    );
    return result;
  }

  async #patchInTurn(patch: JsonObject): Promise<PatchResult> {
    const primary = await this.#checkScreens(patch);
    const { schema: _schema, ...changes } = patch;
    const document = mergePatch(this.#document, changes);
    if (!isObject(document)) throw new TypeError('merging two objects gives an object');
    const before = this.#config;
    const config = this.#full(document);
    const broken = brokenRules(config, this.#options.board);
    if (broken.length > 0) {
      throw badRequest(
        '',
        broken.map(({ path, message }) => ({ path, message })),
      );
    }
    await this.#write(document);
    this.#document = document;
    this.#config = config;

    const leaves = leavesOf(Config, patch, before);
    const failed = await this.#apply(config, before, [...leaves.keys()]);
    const applied = Object.fromEntries(
      [...leaves].map(([path, when]) => [path, effective(path, when, primary, failed)]),
    );
    this.#options.bus.emit(configChanged, { paths: [...leaves.keys()], config });
    return { config, applied };
  }

  /** Refuses entries of `display.screens` that are no output; gives the primary one's id. */
  async #checkScreens(patch: JsonObject): Promise<string | undefined> {
    const asked = valueAt(patch, 'display.screens');
    // A null resets what is set for all of them.
    if (asked === undefined && valueAt(patch, 'display') !== null) return undefined;
    const screens = await this.#options.screens();
    for (const [id, value] of Object.entries(isObject(asked) ? asked : {})) {
      // Taking away what is set for an output that is gone must stay possible.
      if (value === null && Object.hasOwn(this.#config.display.screens, id)) continue;
      if (screens.some((screen) => screen.id === id)) continue;
      const name = id.slice(0, MAX_SCREEN_ID).toWellFormed();
      throw new ApiError('screen_not_found', `There is no screen ${name}.`, {
        screen: name,
        screens: screens.map((screen) => screen.id),
      });
    }
    return screens.find((screen) => screen.primary)?.id;
  }

  async #write(document: JsonObject): Promise<void> {
    try {
      await this.#file.write(document);
    } catch (error) {
      throw storageError(error);
    }
  }

  /** Runs the appliers of what differs or is not in effect yet; gives the paths of what is stored but not in effect. */
  async #apply(config: Config, before: Config, patched: readonly string[]): Promise<string[]> {
    for (const applier of [...this.#appliers]) {
      const { path } = applier;
      const differs = JSON.stringify(valueAt(config, path)) !== JSON.stringify(valueAt(before, path));
      const again = this.#failed.has(applier) && patched.some((leaf) => isBelow(leaf, path));
      if (differs || again) await this.#applyOne(applier, config, before);
    }
    return [...[...this.#failed].map(({ path }) => path), ...(this.#options.notApplied ?? [])];
  }

  async #applyOne(applier: Applier, config: Config, before: Config): Promise<void> {
    try {
      await within(APPLY_TIMEOUT_MS, async () => applier.apply(config, before));
      this.#failed.delete(applier);
    } catch (error) {
      this.#options.log.error({ err: error, path: applier.path }, 'configuration stored but not applied');
      if (this.#appliers.has(applier)) this.#failed.add(applier);
    }
  }

  /** The whole tree of a document: its known fields over the defaults. */
  #full(document: JsonObject): Config {
    const { deviceName } = this.#options;
    const given = deviceName === undefined ? {} : { device: { name: deviceName } };
    const config = withDefaults(Config, mergePatch(given, splitKnown(Config, document).known));
    // Every part of it is a default of the schema or has been validated against it.
    return deepFreeze(config) as Config;
  }

  /** Takes a stored document over, without the values that do not fit; what is not known is kept unused. */
  #take(stored: JsonObject): void {
    if (Object.keys(stored).length === 0) return;
    const { unknown } = splitKnown(Config, stored);
    if (unknown.length > 0) {
      this.#options.log.warn(
        { fields: unknown.slice(0, 50) },
        'configuration fields of another version kept unused',
      );
    }
    const dropped = new Set<string>();
    let document: unknown = stored;
    for (let round = 0; round < MAX_REPAIRS; round++) {
      const wrong = this.#wrongIn(document)[0];
      if (wrong === undefined || !isObject(document)) break;
      dropped.add(wrong);
      document = without(document, wrong);
    }
    if (dropped.size > 0) this.#report([...dropped]);
    if (isObject(document) && this.#wrongIn(document).length === 0) this.#document = document;
    this.#config = this.#full(this.#document);
  }

  /** JSON pointers of the fields that break the schema or, when none does, a rule. */
  #wrongIn(document: unknown): string[] {
    const { known } = splitKnown(Config, document);
    const shape = issues(StoredTree, known).map(({ path }) => path);
    if (shape.length > 0 || !isObject(document)) return shape;
    return brokenRules(this.#full(document), this.#options.board).map(({ reset }) => reset);
  }

  #report(paths: string[]): void {
    const list = paths.slice(0, 20).join(', ');
    this.#problem ??= {
      code: 'config_values_dropped',
      message: `Stored values that do not fit were put back to their defaults: ${list}.`,
      kept: null,
    };
    this.#options.log.error({ paths }, 'stored configuration values do not fit');
  }
}

/** When a leaf takes effect on this board, this time (interface: display.screens; docs/contract.md). */
function effective(path: string, when: Applied, primary: string | undefined, failed: string[]): Applied {
  if (failed.some((prefix) => isBelow(path, prefix))) return 'reboot_required';
  const screen = /^display\.screens\.(.+)\.rotation$/.exec(path)?.[1];
  return screen !== undefined && screen !== primary ? 'reboot_required' : when;
}

/** Whether a dotted path is another one or a part of it. */
function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`);
}

async function within(ms: number, work: () => Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not done after ${ms} ms`)), ms);
  try {
    await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
