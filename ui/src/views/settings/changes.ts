/** Changes of the configuration: between documents, as a patch, and without secrets. Pure. */
import {
  isObject,
  type JsonObject,
  mergePatch,
  type Path,
  patchBetween,
  same,
  valueAt,
  withValue,
} from './json.ts';
import { type Field, isSecretName } from './schema.ts';

/** One field that is to have another value. */
export interface Change {
  readonly name: string;
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
  /** Its part of the merge patch. */
  readonly send: unknown;
  /** Undefined if the schema does not have it. */
  readonly field: Field | undefined;
}

/** A change of a field. @param isReset whether the device shall forget its value and use the default */
export function changeOf(field: Field, before: unknown, after: unknown, isReset = false): Change {
  const { name, path, isMap } = field;
  const isMerged = isMap && isObject(before) && isObject(after);
  const send = isReset ? null : isMerged ? patchBetween(before, after) : after;
  return { name, path, before, after, send, field };
}

/**
 * What a merge patch changes, field by field. Parts that the schema does not have are changes without a field.
 * @param current the whole configuration
 */
export function changesOf(patch: JsonObject, current: JsonObject, fields: readonly Field[]): Change[] {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const visit = (part: unknown, path: Path): Change[] => {
    const name = path.join('.');
    const field = byName.get(name);
    const before = valueAt(current, path);
    if (field) return changeBy(field, part, before);
    const inside = fields.filter((one) => one.name.startsWith(`${name}.`));
    if (isObject(part) && (inside.length > 0 || path.length === 0)) {
      return Object.entries(part).flatMap(([key, below]) => visit(below, [...path, key]));
    }
    if (part === null && inside.length > 0) {
      return inside.flatMap((one) => changeBy(one, null, valueAt(current, one.path)));
    }
    return same(before, part) ? [] : [{ name, path, before, after: part, send: part, field: undefined }];
  };
  return visit(patch, []);
}

function changeBy(field: Field, part: unknown, before: unknown): Change[] {
  const { name, path, isMap } = field;
  const merged = isMap && isObject(part) ? mergePatch(before, part) : part;
  const after = part === null ? field.default : merged;
  return same(before, after) ? [] : [{ name, path, before, after, send: part, field }];
}

/** The merge patch of some changes. */
export function patchOf(changes: readonly Change[]): JsonObject {
  return changes.reduce<JsonObject>((patch, { path, send }) => withValue(patch, path, send), {});
}

/**
 * The fields whose values in a file differ from those of the device, and the names in it that the schema does not have.
 * What is missing in the file stays as it is.
 */
export function changesByFile(
  file: JsonObject,
  current: JsonObject,
  fields: readonly Field[],
): { changes: Change[]; unknown: string[] } {
  const changes = fields.flatMap((field) => {
    const given = valueAt(file, field.path);
    const before = valueAt(current, field.path);
    const after = given ?? field.default;
    return given === undefined || same(before, after) ? [] : [changeOf(field, before, after)];
  });
  // The version of the document is checked before.
  const { schema: _version, ...parts } = file;
  const unknown = changesOf(parts, current, fields).filter(({ field }) => !field);
  return { changes, unknown: unknown.map(({ name }) => name) };
}

/** The patch of some changes for a code sample. */
export function sampleOf(changes: readonly Change[]): JsonObject {
  const sample = withoutSecrets(patchOf(changes), (key) => key.toUpperCase());
  return isObject(sample) ? sample : {};
}

/**
 * A value without secrets.
 * @param wordFor the word in place of a passphrase or token, by its key
 */
export function withoutSecrets(value: unknown, wordFor: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withoutSecrets(one, wordFor));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, below]): [string, unknown] => {
    const isSecret = isSecretName(key) && typeof below === 'string' && below !== '';
    return [key, isSecret ? wordFor(key) : withoutSecrets(below, wordFor)];
  });
  return Object.fromEntries(entries);
}
