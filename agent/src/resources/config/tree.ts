/** The configuration as a tree: JSON values that follow a schema of groups, maps, lists and leaves. */
import type { TObject, TSchema } from 'typebox';
import * as Type from 'typebox';
import { APPLIED, type Applied } from './fields.ts';

/** A JSON object as it comes from outside. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The keywords of a schema as plain JSON; TypeBox declares types for only a few of them. */
function keywords(schema: TSchema): JsonObject {
  return { ...schema };
}

function own(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function mapValues<V, W>(values: Record<string, V>, to: (value: V, key: string) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, to(value, key)]));
}

/** The schema of the entries if the schema is that of a map (`display.screens`), else undefined. */
function entryOf(schema: TSchema): TSchema | undefined {
  return Type.IsRecord(schema) ? Object.values(schema.patternProperties)[0] : undefined;
}

/** Whether a part of a field takes effect immediately. */
export function hasLiveLeaf(schema: TSchema): boolean {
  const { [APPLIED]: applied } = keywords(schema);
  if (applied !== undefined) return applied === 'live';
  if (Type.IsObject(schema)) return Object.values(schema.properties).some(hasLiveLeaf);
  const entry = entryOf(schema);
  return entry !== undefined && hasLiveLeaf(entry);
}

/** RFC 7396: `target` with `patch` merged into it. Neither is changed; an own `__proto__` stays a plain key. */
export function mergePatch(target: unknown, patch: JsonObject): JsonObject {
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? mergePatch(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}

/**
 * The whole tree: the values that `sparse` sets, and the schema's defaults for the rest, in list items too. Unknown keys
 * are left out. A value of a wrong type stays as it is.
 */
export function withDefaults(schema: TObject, sparse: JsonObject): JsonObject {
  const filled = mapValues(schema.properties, (field, key) => fill(field, own(sparse, key)));
  return Object.fromEntries(Object.entries(filled).filter(([, value]) => value !== undefined));
}

function fill(schema: TSchema, value: unknown): unknown {
  const missing = Type.IsObject(schema) ? {} : keywords(schema).default;
  const given = value === undefined ? missing : value;
  if (Type.IsArray(schema) && Array.isArray(given)) {
    return given.map((item: unknown) => fill(schema.items, item));
  }
  if (!isObject(given)) return given;
  if (Type.IsObject(schema)) return withDefaults(schema, given);
  const entry = entryOf(schema);
  return entry ? mapValues(given, (child) => fill(entry, child)) : given;
}

/** Dotted paths of the keys in `tree`, at any depth, that `other` lacks. */
export function keysMissingIn(other: unknown, tree: unknown, parents: readonly string[] = []): string[] {
  if (typeof tree !== 'object' || tree === null || typeof other !== 'object' || other === null) return [];
  const values = new Map(Object.entries(other));
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = [...parents, key];
    return values.has(key) ? keysMissingIn(values.get(key), value, path) : [path.join('.')];
  });
}

/**
 * The leaves that a patch changes, in its order, by dotted path, with when their schema says that they take effect. A
 * null for a group changes all of its leaves.
 * @param current the whole configuration before the patch: which entries of a map a null removes
 */
export function leavesOf(schema: TSchema, patch: unknown, current: unknown): Map<string, Applied> {
  const found = new Map<string, Applied>();
  const visit = (at: TSchema, part: unknown, before: unknown, path: readonly string[]): void => {
    const fields = Type.IsObject(at) ? at.properties : undefined;
    const entry = entryOf(at);
    if (!fields && !entry) {
      found.set(path.join('.'), keywords(at)[APPLIED] === 'live' ? 'live' : 'reboot_required');
      return;
    }
    for (const key of Object.keys(isObject(part) ? part : (fields ?? Object(before)))) {
      const child = fields && Object.hasOwn(fields, key) ? fields[key] : entry;
      if (child) visit(child, own(part, key), own(before, key), [...path, key]);
    }
  };
  visit(schema, patch, current, []);
  return found;
}

/** Value at a dotted path; undefined when there is none. */
export function valueAt(tree: unknown, path: string): unknown {
  return path.split('.').reduce(own, tree);
}

/**
 * `tree` without the field at a JSON pointer. For an element of a list the whole list is removed, for a missing field
 * its group.
 */
export function without(tree: JsonObject, pointer: string): JsonObject {
  const path: string[] = [];
  let at: unknown = tree;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(at) || !Object.hasOwn(at, key)) break;
    path.push(key);
    at = at[key];
  }
  const patch = path.reduceRight<JsonObject | null>((below, key) => ({ [key]: below }), null);
  return patch ? mergePatch(tree, patch) : {};
}

/** The schema of a merge patch against a group: every field may be absent or null. */
export function patchSchema(
  schema: TObject,
  options: { $id?: string; description?: string; examples?: unknown[] } = {},
): TObject {
  const fields = mapValues(schema.properties, (field) => Type.Optional(nullable(patchOf(field))));
  return Type.Object(fields, { additionalProperties: false, ...annotations(schema, 'Patch'), ...options });
}

function nullable(schema: TSchema): TSchema {
  return 'anyOf' in schema ? schema : Type.Union([schema, Type.Null()]);
}

function patchOf(schema: TSchema): TSchema {
  if (Type.IsObject(schema)) return patchSchema(schema);
  const entry = entryOf(schema);
  // The owner of the group checks which entries a patch may name, the schema of the whole configuration how many.
  if (entry) return Type.Record(Type.String(), nullable(patchOf(entry)), annotations(schema, 'Patch'));
  const { default: _default, [APPLIED]: _applied, ...rules } = keywords(schema);
  if (!Type.IsArray(schema)) return Type.Unsafe(rules);
  const { type: _type, items: _items, ...bounds } = rules;
  return Type.Array(itemSchema(schema.items), bounds);
}

/** An item as a client sends it: fields with a default are optional. It has its own name: `WifiNetworkInput`. */
export function itemSchema(items: TSchema): TSchema {
  if (!Type.IsObject(items) || !Object.values(items.properties).some((field) => 'default' in field))
    return items;
  const fields = mapValues(items.properties, (field) => {
    const { default: value, ...rules } = keywords(field);
    return value === undefined ? field : Type.Optional(Type.Unsafe(rules));
  });
  return Type.Object(fields, { ...annotations(items, 'Input'), additionalProperties: false });
}

/** The description and the name, with a suffix, for a schema that is derived from another one. */
function annotations(
  schema: TSchema,
  suffix: string,
): { $id?: string; description?: string; examples?: unknown[] } {
  const { $id, description } = keywords(schema);
  return {
    ...(typeof $id === 'string' ? { $id: $id + suffix } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  };
}

/** Freezes a JSON value with everything in it, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  Object.freeze(value);
  return value;
}
