import type { Logger } from '../../base/logger.ts';
import { ApiError, storageError } from '../../contract/errors.ts';
import { badRequest, type Issue } from '../../contract/validate.ts';
import type { EventBus } from '../../events/bus.ts';
import { Appliers } from './appliers.ts';
import { ConfigFile, type ConfigFormat, type ConfigProblem, CURRENT_FORMAT } from './file.ts';
import type { BoardLimits, BrokenRule, ConfigBinding, ConfigGroup, GroupValue } from './group.ts';
import {
  type Change,
  type Effect,
  type Event,
  initialState,
  next,
  type Request,
  type State,
  type Version,
} from './machine.ts';
import type { ConfigContract, PatchResult } from './schema.ts';
import {
  deepFreeze,
  isObject,
  type JsonObject,
  leavesOf,
  mergePatch,
  splitKnown,
  withDefaults,
  without,
} from './tree.ts';

/** Rounds of dropping what does not fit from a stored document; each drops at least one field. */
const MAX_REPAIRS = 200;

/** Validators of the contract's schemas. */
export interface ConfigChecks {
  /** @throws ApiError `bad_request` with all issues */
  parsePatch(value: unknown): unknown;
  /** What keeps a document from being a stored configuration. */
  storedIssues(value: unknown): Issue[];
}

export interface ConfigOptions {
  /** Folder of config.json. */
  folder: string;
  groups: readonly ConfigGroup[];
  contract: ConfigContract;
  checks: ConfigChecks;
  bus: EventBus;
  log: Logger;
  board: BoardLimits;
  /** Default of `device.name`, 1 to 63 characters. */
  deviceName?: string | undefined;
  format?: ConfigFormat;
}

/** The configuration as most of the agent sees it: read-only. */
export type ConfigReader = Pick<ConfigStore, 'get'>;

/**
 * The configuration: one document, merged, checked, kept and applied in one order, whoever asks
 * (interface: Configuration). It knows no group by name; the resources declare them.
 */
export class ConfigStore {
  readonly #options: ConfigOptions;
  readonly #file: ConfigFile;
  readonly #appliers: Appliers;
  readonly #answers = new Map<number, PromiseWithResolvers<PatchResult>>();
  #state: State<JsonObject, JsonObject, JsonObject>;
  #lastId = 0;
  #fileProblem: ConfigProblem | undefined;

  private constructor(options: ConfigOptions) {
    this.#options = options;
    this.#file = new ConfigFile(options.folder, options.log, options.format ?? CURRENT_FORMAT);
    this.#appliers = new Appliers(options.log);
    this.#state = initialState({ document: {}, config: this.#full({}) });
  }

  /** Reads the stored configuration. Never fails for what the file holds; see {@link problems}. */
  static async open(options: ConfigOptions): Promise<ConfigStore> {
    const store = new ConfigStore(options);
    const { document, problem } = await store.#file.load();
    store.#fileProblem = problem;
    store.#take(document);
    return store;
  }

  /** The whole configuration in force. The object is frozen; a patch makes a new one. */
  get tree(): JsonObject {
    return this.#state.current.config;
  }

  /** The values in force of one group; frozen. */
  get<G extends ConfigGroup>({ name }: G): GroupValue<G> {
    // Every part of the tree is a default of the group's schema or has been validated against it.
    return this.tree[name] as GroupValue<G>;
  }

  /** Has a group's changes take effect from now on. @throws Error for a group that is bound already */
  bind(binding: ConfigBinding): void {
    this.#appliers.bind(binding);
  }

  /** Why stored values are not used, if so. */
  get problem(): ConfigProblem | undefined {
    return this.#fileProblem;
  }

  /** Why the device runs with other values than the stored ones, as sentences for health. */
  problems(): string[] {
    return [...(this.#fileProblem ? [this.#fileProblem.message] : []), ...this.#appliers.problems()];
  }

  /**
   * Applies the stored value of one field: at the start, and when what was configured has lost its settings. In turn
   * with the patches. Never rejects: a failure is logged and reported by health.
   * @param path dotted, of a field of a group: `device.timezone`
   */
  async applyStored(path: string): Promise<void> {
    await this.#request({ id: ++this.#lastId, kind: 'reapply', path }).catch((error: unknown) => {
      this.#options.log.error({ err: error, path }, 'stored configuration not applied');
    });
  }

  /**
   * Merges a patch (RFC 7396) into the configuration, stores it, then applies it. Patches take effect one after the
   * other, in the order in which they arrived. What was stored stays when a resource fails to apply it: its fields are
   * answered `reboot_required`, and the next patch that names one of them tries again.
   * @throws ApiError `bad_request` with all issues, `insufficient_storage`, `too_many_requests`, and what the groups'
   *   own checks throw; nothing has changed then
   */
  async patch(json: unknown): Promise<PatchResult> {
    const patch = this.#options.checks.parsePatch(json);
    if (!isObject(patch)) throw badRequest('', [{ path: '', message: 'must be object' }]);
    return this.#request({ id: ++this.#lastId, kind: 'patch', patch });
  }

  async #request(request: Request<JsonObject>): Promise<PatchResult> {
    const answer = Promise.withResolvers<PatchResult>();
    this.#answers.set(request.id, answer);
    this.#handle({ type: 'requested', request });
    try {
      return await answer.promise;
    } finally {
      this.#answers.delete(request.id);
    }
  }

  #handle(event: Event<JsonObject, JsonObject, JsonObject>): void {
    const { state, effects } = next(this.#state, event);
    this.#state = state;
    for (const effect of effects) void this.#perform(effect);
  }

  /** Never rejects. */
  async #perform(effect: Effect<JsonObject, JsonObject, JsonObject>): Promise<void> {
    switch (effect.type) {
      case 'check':
        return this.#change(effect.patch, effect.current).then(
          (change) => this.#handle({ type: 'checked', change }),
          (error: unknown) => this.#handle({ type: 'refused', error }),
        );
      case 'write':
        return this.#file.write(effect.document).then(
          () => this.#handle({ type: 'written' }),
          (error: unknown) => this.#handle({ type: 'not_written', error: storageError(error) }),
        );
      case 'apply':
        await this.#appliers.apply(effect.now, effect.before, [...effect.leaves.keys()]);
        return this.#handle({ type: 'applied' });
      case 'reapply':
        await this.#appliers.reapply(effect.path, effect.now);
        return this.#handle({ type: 'applied' });
      case 'publish': {
        const { bus, contract } = this.#options;
        bus.emit(contract.configChanged, { paths: [...effect.leaves.keys()], config: effect.config });
        return;
      }
      case 'answer': {
        const applied = [...effect.leaves].map(([path, declared]) => {
          return [path, this.#appliers.effective(path, declared)] as const;
        });
        this.#answers
          .get(effect.id)
          ?.resolve({ config: effect.config, applied: Object.fromEntries(applied) });
        return;
      }
      case 'reject':
        return this.#answers.get(effect.id)?.reject(effect.error);
      case 'reject_busy':
        return this.#answers.get(effect.id)?.reject(new ApiError('too_many_requests'));
    }
  }

  /** What a patch makes of the current version. @throws ApiError when it may not */
  async #change(
    patch: JsonObject,
    current: Version<JsonObject, JsonObject>,
  ): Promise<Change<JsonObject, JsonObject>> {
    await this.#appliers.check(patch);
    const { schema: _schema, ...changes } = patch;
    const document = mergePatch(current.document, changes);
    if (!isObject(document)) throw new TypeError('merging two objects gives an object');
    const config = this.#full(document);
    const broken = this.#brokenRules(config);
    if (broken.length > 0) {
      throw badRequest(
        '',
        broken.map(({ path, message }) => ({ path, message })),
      );
    }
    return { document, config, leaves: leavesOf(this.#options.contract.Config, patch, current.config) };
  }

  #brokenRules(config: JsonObject): Required<BrokenRule>[] {
    const { groups, board } = this.#options;
    return groups.flatMap(({ name, brokenRules }) =>
      brokenRules(config[name], board).map(({ path, message, reset = path }) => {
        return { path: `/${name}${path}`, message, reset: `/${name}${reset}` };
      }),
    );
  }

  /** The whole tree of a document: its known fields over the defaults. */
  #full(document: JsonObject): JsonObject {
    const { deviceName, contract } = this.#options;
    const given = deviceName === undefined ? {} : { device: { name: deviceName } };
    const known = splitKnown(contract.Config, document).known;
    const config = deepFreeze(withDefaults(contract.Config, mergePatch(given, known)));
    if (!isObject(config)) throw new TypeError('the defaults of an object are an object');
    return config;
  }

  /** Takes a stored document over, without the values that do not fit; unknown fields are kept and not used. */
  #take(stored: JsonObject): void {
    if (Object.keys(stored).length === 0) return;
    const { log, contract } = this.#options;
    const { unknown } = splitKnown(contract.Config, stored);
    if (unknown.length > 0) {
      log.warn({ fields: unknown.slice(0, 50) }, 'configuration fields of another version kept unused');
    }
    const dropped = new Set<string>();
    let document: unknown = stored;
    for (let round = 0; round < MAX_REPAIRS; round++) {
      const wrong = this.#wrongIn(document)[0];
      if (wrong === undefined || !isObject(document)) break;
      dropped.add(wrong);
      document = without(document, wrong);
    }
    if (dropped.size > 0) this.#reportDropped([...dropped]);
    const usable = isObject(document) && this.#wrongIn(document).length === 0 ? document : {};
    this.#state = initialState({ document: usable, config: this.#full(usable) });
  }

  /** JSON pointers of the fields that break the schema or, when none does, a rule. */
  #wrongIn(document: unknown): string[] {
    const { contract, checks } = this.#options;
    const { known } = splitKnown(contract.Config, document);
    const shape = checks.storedIssues(known);
    if (shape.length > 0 || !isObject(document)) return shape.map(({ path }) => path);
    return this.#brokenRules(this.#full(document)).map(({ reset }) => reset);
  }

  #reportDropped(paths: string[]): void {
    const list = paths.slice(0, 20).join(', ');
    this.#fileProblem ??= {
      code: 'config_values_dropped',
      message: `Stored values that do not fit were put back to their defaults: ${list}.`,
      kept: null,
    };
    this.#options.log.error({ paths }, 'stored configuration values do not fit');
  }
}
