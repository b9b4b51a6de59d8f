/** Applies changes: calls the functions that the resources bound to their live fields, and remembers failures. */
import type { Logger } from '../../base/logger.ts';
import { withTimeout } from '../../base/timeout.ts';
import type { Applied } from './fields.ts';
import { type Apply, type ConfigBinding, NOT_APPLIED_HERE } from './group.ts';
import { type JsonObject, valueAt } from './tree.ts';

/** How long one resource may take to apply a change, in ms. */
const APPLY_TIMEOUT_MS = 10_000;

/** A function with all fields that it applies. */
interface Applier {
  group: string;
  /** Dotted paths of the fields. */
  paths: string[];
  apply: Apply<unknown>;
  /** The last call failed: the stored values are not in effect. */
  failed: boolean;
}

export class Appliers {
  readonly #log: Logger;
  readonly #bindings = new Map<string, ConfigBinding>();
  readonly #appliers: Applier[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @throws Error for a group that is bound already */
  bind(binding: ConfigBinding): void {
    const { name } = binding.group;
    if (this.#bindings.has(name)) throw new Error(`the configuration group ${name} is bound twice`);
    this.#bindings.set(name, binding);
    const byFunction = Map.groupBy(Object.entries(binding.live), ([, apply]) => apply);
    for (const [apply, fields] of byFunction) {
      if (typeof apply === 'string') continue;
      const paths = fields.map(([field]) => `${name}.${field}`);
      this.#appliers.push({ group: name, paths, apply, failed: false });
    }
  }

  /** Asks the groups that a patch names whether they accept it. @throws ApiError */
  async check(patch: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [name, part] of Object.entries(patch)) await this.#bindings.get(name)?.check?.(part);
  }

  /**
   * Applies what changed, and what failed before if a leaf of it is named again. Never rejects.
   * @param leaves that are named, as dotted paths
   * @param again whether they are applied in any case
   */
  async apply(now: JsonObject, before: JsonObject, leaves: readonly string[], again = false): Promise<void> {
    for (const [group, { changed }] of this.#bindings) {
      try {
        if (differs(now, before, group)) changed?.();
      } catch (error) {
        this.#log.error({ err: error, group }, 'failed to take over a changed configuration');
      }
    }
    for (const applier of this.#appliers) {
      const { paths, failed } = applier;
      const isNamed = leaves.some((leaf) => paths.includes(fieldOf(leaf)));
      const isChanged = paths.some((path) => differs(now, before, path));
      if (isChanged || (isNamed && (failed || again))) await this.#run(applier, now, before);
    }
  }

  /** When a leaf takes effect: by its schema, on this device, after the last attempt to apply it. */
  effective(path: string, declared: Applied): Applied {
    const [group = '', field = ''] = path.split('.');
    const { live = {}, isLive } = this.#bindings.get(group) ?? {};
    const isInEffect =
      live[field] !== NOT_APPLIED_HERE &&
      !this.#appliers.some(({ failed, paths }) => failed && paths.includes(fieldOf(path))) &&
      isLive?.(path.slice(group.length + 1)) !== false;
    return isInEffect ? declared : 'reboot_required';
  }

  /** The stored values that could not be applied, as sentences for health. */
  problems(): string[] {
    return this.#appliers
      .filter(({ failed }) => failed)
      .map(({ paths }) => `The configuration of ${paths.join(', ')} is stored and could not be applied.`);
  }

  async #run(applier: Applier, now: unknown, before: unknown): Promise<void> {
    const { group, apply, paths } = applier;
    try {
      await withTimeout((async () => apply(valueAt(now, group), valueAt(before, group)))(), APPLY_TIMEOUT_MS);
      applier.failed = false;
    } catch (error) {
      this.#log.error({ err: error, paths }, 'configuration stored but not applied');
      applier.failed = true;
    }
  }
}

function differs(now: unknown, before: unknown, path: string): boolean {
  return JSON.stringify(valueAt(now, path)) !== JSON.stringify(valueAt(before, path));
}

/** The field of a group that a leaf belongs to: `wifi.ap` of `wifi.ap.band`. */
function fieldOf(leaf: string): string {
  return leaf.split('.', 2).join('.');
}
