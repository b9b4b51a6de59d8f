/** Which changes are in effect: runs what the resources bound to their live fields and remembers what failed. */
import type { Logger } from '../../base/logger.ts';
import { withTimeout } from '../../base/timeout.ts';
import type { Applied } from './fields.ts';
import { type Apply, type BindingHooks, type ConfigBinding, NOT_APPLIED_HERE } from './group.ts';
import { valueAt } from './tree.ts';

/** How long one resource may take to apply a change, in ms. */
const APPLY_TIMEOUT_MS = 10_000;

/** One function, and all fields that it applies. */
interface Applier {
  group: string;
  /** Dotted paths of the fields. */
  paths: string[];
  apply: Apply<unknown>;
}

export class Appliers {
  readonly #log: Logger;
  readonly #appliers: Applier[] = [];
  readonly #hooks = new Map<string, BindingHooks>();
  /** Those whose last call failed: what is stored is not in effect. */
  readonly #failed = new Set<Applier>();
  readonly #notApplied: string[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @throws Error for a group that is bound already */
  bind({ group, live, hooks }: ConfigBinding): void {
    if (this.#hooks.has(group.name)) throw new Error(`the configuration group ${group.name} is bound twice`);
    this.#hooks.set(group.name, hooks);
    const byFunction = new Map<Apply<unknown>, Applier>();
    for (const [field, how] of Object.entries(live)) {
      const path = `${group.name}.${field}`;
      if (how === NOT_APPLIED_HERE) this.#notApplied.push(path);
      if (typeof how === 'string') continue;
      const applier = byFunction.get(how) ?? { group: group.name, paths: [], apply: how };
      applier.paths.push(path);
      byFunction.set(how, applier);
    }
    this.#appliers.push(...byFunction.values());
  }

  /** Asks the groups that a patch names whether it may be. @throws ApiError */
  async check(patch: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [name, part] of Object.entries(patch)) await this.#hooks.get(name)?.check?.(part);
  }

  /**
   * Applies what differs, and what failed before when the patch names it again. Never rejects.
   * @param patched dotted paths of the leaves of the patch
   */
  async apply(now: unknown, before: unknown, patched: readonly string[]): Promise<void> {
    for (const [group, { changed }] of this.#hooks) {
      if (!changed || !differs(now, before, group)) continue;
      try {
        changed();
      } catch (error) {
        this.#log.error({ err: error, group }, 'a changed configuration was not taken');
      }
    }
    for (const applier of this.#appliers) {
      const isChanged = applier.paths.some((path) => differs(now, before, path));
      const isRetried =
        this.#failed.has(applier) &&
        patched.some((leaf) => applier.paths.some((path) => isBelow(leaf, path)));
      if (isChanged || isRetried) await this.#run(applier, now, before);
    }
  }

  /** Applies the field at a dotted path, whatever was applied before. Never rejects. */
  async reapply(path: string, now: unknown): Promise<void> {
    for (const applier of this.#appliers) {
      if (applier.paths.includes(path)) await this.#run(applier, now, now);
    }
  }

  /** When a leaf takes effect, going by its schema, this device, and what was applied last. */
  effective(path: string, declared: Applied): Applied {
    if (declared === 'reboot_required') return declared;
    const notInEffect = [...this.#notApplied, ...[...this.#failed].flatMap(({ paths }) => paths)];
    if (notInEffect.some((prefix) => isBelow(path, prefix))) return 'reboot_required';
    const [group = ''] = path.split('.', 1);
    const isLive = this.#hooks.get(group)?.isLive?.(path.slice(group.length + 1)) ?? true;
    return isLive ? 'live' : 'reboot_required';
  }

  /** What is stored and could not be applied, as sentences for health. */
  problems(): string[] {
    return [...this.#failed].map(
      ({ paths }) => `The configuration of ${paths.join(', ')} is stored and could not be applied.`,
    );
  }

  async #run(applier: Applier, now: unknown, before: unknown): Promise<void> {
    const { group, apply, paths } = applier;
    try {
      await withTimeout((async () => apply(valueAt(now, group), valueAt(before, group)))(), APPLY_TIMEOUT_MS);
      this.#failed.delete(applier);
    } catch (error) {
      this.#log.error({ err: error, paths }, 'configuration stored but not applied');
      this.#failed.add(applier);
    }
  }
}

function differs(now: unknown, before: unknown, path: string): boolean {
  return JSON.stringify(valueAt(now, path)) !== JSON.stringify(valueAt(before, path));
}

/** Whether a dotted path is another one or lies below it. */
function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`);
}
