/**
 * Which changes wait for a restart of the device. The device does not tell, so this browser remembers the values that
 * such fields had when it saw them first after a boot. Pure.
 */
import { isObject, type JsonObject, own, valueAt } from './json.ts';
import type { Applied, Field } from './schema.ts';

/** Difference from which on a time of booting is another one, in ms: answers take a while, and clocks drift. */
const TOLERANCE_MS = 30_000;

/** What is known about the running device. */
export interface Boot {
  /** When it was booted, by the clock of this browser, in ms. */
  readonly bootedAt: number;
  readonly uptimeS: number;
}

/** What this browser remembers of a boot. */
export interface Baseline extends Boot {
  /** JSON of the values that were in effect, by the name of the field. */
  readonly values: Readonly<Record<string, string>>;
  /** Fields that the device could not apply at once, although the schema says that it does. */
  readonly answered: readonly string[];
}

/** @param nowMs when the device said how long it has been running */
export function bootOf(uptimeS: number, nowMs: number): Boot {
  return { bootedAt: nowMs - uptimeS * 1000, uptimeS };
}

/** The baseline for a boot: the remembered one, or the present values if the device has been restarted since. */
export function baselineFor(
  remembered: Baseline | undefined,
  boot: Boot,
  fields: readonly Field[],
  config: JsonObject,
): Baseline {
  const isKnown =
    remembered !== undefined &&
    boot.uptimeS >= remembered.uptimeS &&
    Math.abs(boot.bootedAt - remembered.bootedAt) < TOLERANCE_MS;
  const values = valuesOf(fields, config);
  // A later version of the firmware may have more fields.
  if (isKnown) return { ...boot, values: { ...values, ...remembered.values }, answered: remembered.answered };
  return { ...boot, values, answered: [] };
}

/** The baseline after the device was told to restart: it counts as another boot in any case. */
export function ended(baseline: Baseline): Baseline {
  return { ...baseline, bootedAt: 0 };
}

/** The fields whose stored values are not in effect yet, in their order. */
export function waiting(baseline: Baseline, fields: readonly Field[], config: JsonObject): Field[] {
  const values = valuesOf(fields, config);
  return fields.filter(({ name }) => {
    const [before, now] = [own(baseline.values, name), values[name]];
    return baseline.answered.includes(name) || (before !== undefined && now !== undefined && before !== now);
  });
}

/**
 * The baseline after the answer to a patch.
 * @param applied by dotted path of a leaf, as the device answers
 */
export function withAnswer(
  baseline: Baseline,
  fields: readonly Field[],
  applied: Readonly<Record<string, string>>,
): Baseline {
  const answered = new Set(baseline.answered);
  for (const field of fields) {
    const leaves = Object.entries(applied).filter(
      ([leaf]) => leaf === field.name || leaf.startsWith(`${field.name}.`),
    );
    if (leaves.length === 0) continue;
    const isSurprise = leaves.some(([leaf, at]) => at !== 'live' && declared(field, leaf) === 'live');
    if (isSurprise) answered.add(field.name);
    else answered.delete(field.name);
  }
  return { ...baseline, answered: [...answered] };
}

/** Reads what was remembered; undefined if it is none. */
export function readBaseline(text: string | undefined): Baseline | undefined {
  const value = parsed(text);
  if (!isObject(value) || !isObject(value.values) || !Array.isArray(value.answered)) return undefined;
  const { bootedAt, uptimeS } = value;
  if (typeof bootedAt !== 'number' || typeof uptimeS !== 'number') return undefined;
  const values = Object.entries(value.values).flatMap(([name, json]) =>
    typeof json === 'string' ? [[name, json] as const] : [],
  );
  const answered = value.answered.filter((name) => typeof name === 'string');
  return { bootedAt, uptimeS, values: Object.fromEntries(values), answered };
}

/** When the schema says that a leaf takes effect. Leaves in a map have the name of their entry in their path. */
function declared(field: Field, leaf: string): Applied {
  if (field.applied !== 'mixed') return field.applied;
  const part = leaf.slice(field.name.length + 1);
  const isAtBoot = field.restartParts.some((path) => part.endsWith(`.${path.join('.')}`));
  return isAtBoot ? 'reboot_required' : 'live';
}

/** JSON of what takes effect at the next boot. Secrets are left out: this is remembered. */
function valuesOf(fields: readonly Field[], config: JsonObject): Record<string, string> {
  const entries = fields
    .filter(({ applied, hasSecret }) => applied !== 'live' && !hasSecret)
    .map((field) => [field.name, JSON.stringify(restartPart(field, valueAt(config, field.path))) ?? '']);
  return Object.fromEntries(entries);
}

function restartPart({ applied, restartParts }: Field, value: unknown): unknown {
  if (applied !== 'mixed' || !isObject(value)) return value;
  return Object.entries(value).flatMap(([id, entry]) => {
    const parts = restartParts.map((path) => valueAt(entry, path) ?? null);
    // An entry that says nothing is as good as none.
    return parts.some((part) => part !== null) ? [[id, parts]] : [];
  });
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
