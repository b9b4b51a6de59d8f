import { type TSchema, Type } from 'typebox';
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

function own(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The schema's fields when it is a group, else undefined. */
function fieldsOf(schema: TSchema): Record<string, TSchema> | undefined {
  return Type.IsObject(schema) && !Object.hasOwn(schema, APPLIED) ? schema.properties : undefined;
}

/** The schema of the entries when the schema is that of a map (`display.screens`), else undefined. */
function entryOf(schema: TSchema): TSchema | undefined {
  return Type.IsRecord(schema) ? Object.values(schema.patternProperties)[0] : undefined;
}

/** The schema of a key of a group or a map; undefined for an unknown key. */
function under(schema: TSchema, key: string): TSchema | undefined {
  const fields = fieldsOf(schema);
  return fields ? (Object.hasOwn(fields, key) ? fields[key] : undefined) : entryOf(schema);
}

/**
 * RFC 7396: `target` with `patch` merged into it. Neither is changed; an own `__proto__` stays a plain key.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/** The whole tree: the values that `sparse` sets, and the schema's defaults for the rest. Unknown keys are left out. */
export function withDefaults(schema: TSchema, sparse: unknown): unknown {
  const given: JsonObject = isObject(sparse) ? sparse : {};
  const fields = fieldsOf(schema);
  if (fields) {
    return Object.fromEntries(
      Object.entries(fields).map(([key, field]) => [key, withDefaults(field, own(given, key))]),
    );
  }
  const entry = entryOf(schema);
  if (entry) {
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, withDefaults(entry, value)]));
  }
  if (sparse === undefined) return structuredClone(keywords(schema).default);
  if (Type.IsArray(schema) && Array.isArray(sparse)) {
    return sparse.map((item: unknown) => fillItem(schema.items, item));
  }
  return sparse;
}

/** Adds the defaults of the fields that an item of a list leaves out. */
function fillItem(schema: TSchema, item: unknown): unknown {
  if (!isObject(item) || !Type.IsObject(schema)) return item;
  const missing = Object.entries(schema.properties).filter(
    ([key, field]) => 'default' in field && !Object.hasOwn(item, key),
  );
  return { ...item, ...Object.fromEntries(missing.map(([key, field]) => [key, keywords(field).default])) };
}

/** Splits a document into the fields that the schema knows and the paths of those that it does not. */
export function splitKnown(schema: TSchema, value: unknown): { known: unknown; unknown: string[] } {
  const unknown: string[] = [];
  const keep = (at: TSchema, part: unknown, path: string[]): unknown => {
    if (Type.IsArray(at) && Array.isArray(part)) {
      return part.map((item: unknown) =>
        Type.IsObject(at.items) ? keep(at.items, item, [...path, '*']) : item,
      );
    }
    if (!isObject(part) || !(fieldsOf(at) || entryOf(at))) return part;
    const kept: [string, unknown][] = [];
    for (const [key, child] of Object.entries(part)) {
      const childSchema = under(at, key);
      if (childSchema) kept.push([key, keep(childSchema, child, [...path, key])]);
      else unknown.push([...path, key].join('.'));
    }
    return Object.fromEntries(kept);
  };
  return { known: keep(schema, value, []), unknown };
}

/**
 * The leaves that a patch changes, in its order, by dotted path, with when their schema says that they take effect. A
 * null for a group changes all of its leaves.
 * @param current the whole configuration before the patch: which entries of a map a null removes
 */
export function leavesOf(schema: TSchema, patch: unknown, current: unknown): Map<string, Applied> {
  const found = new Map<string, Applied>();
  const visit = (at: TSchema, part: unknown, before: unknown, path: string[]): void => {
    const fields = fieldsOf(at);
    const keys = fields
      ? Object.keys(isObject(part) ? part : fields)
      : Object.keys(isObject(part) ? part : isObject(before) ? before : {});
    if (!fields && !entryOf(at)) {
      found.set(path.join('.'), keywords(at)[APPLIED] === 'live' ? 'live' : 'reboot_required');
      return;
    }
    for (const key of keys) {
      const child = under(at, key);
      if (!child) continue;
      const value = isObject(part) ? part[key] : null;
      visit(child, value, isObject(before) ? own(before, key) : undefined, [...path, key]);
    }
  };
  visit(schema, patch, current, []);
  return found;
}

/** Value at a dotted path; undefined when there is none. */
export function valueAt(tree: unknown, path: string): unknown {
  let at = tree;
  for (const key of path.split('.')) {
    if (!isObject(at)) return undefined;
    at = own(at, key);
  }
  return at;
}

/**
 * `tree` without the field at a JSON pointer. For an element of a list the whole list is removed, for a missing field
 * its group.
 */
export function without(tree: unknown, pointer: string): unknown {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const drop = (at: unknown, [key, ...rest]: string[]): unknown => {
    if (!isObject(at) || key === undefined || !Object.hasOwn(at, key)) return at;
    const below = at[key];
    const whole = rest.length === 0 || !isObject(below) || !Object.hasOwn(below, rest[0] ?? '');
    const entries = Object.entries(at).filter(([name]) => name !== key);
    return Object.fromEntries(whole ? entries : [...entries, [key, drop(below, rest)]]);
  };
  return drop(tree, keys);
}

/** The schema of a merge patch against `schema`: every field may be absent or null. */
export function patchSchema(schema: TSchema, options: { $id: string; description: string }): TSchema {
  return Object.assign(partialSchema(schema, true), options);
}

/** As `schema` with every field optional, and, when `nullable`, every field or null. */
export function partialSchema(schema: TSchema, nullable: boolean): TSchema {
  const child = (at: TSchema): TSchema => {
    const partial = partialSchema(at, nullable);
    return nullable && !('anyOf' in partial) ? Type.Union([partial, Type.Null()]) : partial;
  };
  const fields = fieldsOf(schema);
  if (fields) {
    const partial = Object.entries(fields).map(([key, field]) => [key, Type.Optional(child(field))] as const);
    const { $id, description } = keywords(schema);
    const name = nullable && typeof $id === 'string' ? { $id: `${$id}Patch` } : {};
    return Type.Object(Object.fromEntries(partial), {
      ...name,
      additionalProperties: false,
      ...(typeof description === 'string' ? { description } : {}),
    });
  }
  const { default: _default, [APPLIED]: _applied, ...rules } = keywords(schema);
  const entry = entryOf(schema);
  if (entry) {
    const { type: _type, patternProperties: _entries, ...bounds } = rules;
    const { propertyNames: _names, maxProperties: _most, ...notes } = bounds;
    // The owner of the group checks which entries a patch may name.
    return Type.Record(Type.String(), child(entry), nullable ? notes : bounds);
  }
  if (Type.IsArray(schema)) {
    const { type: _type, items: _items, ...bounds } = rules;
    return Type.Array(itemSchema(schema.items), bounds);
  }
  return Type.Unsafe(rules);
}

/** An item as a client sends it: fields with a default are optional. It gets a name of its own: `WifiNetworkInput`. */
function itemSchema(items: TSchema): TSchema {
  if (!Type.IsObject(items) || !Object.values(items.properties).some((field) => 'default' in field))
    return items;
  const fields = Object.entries(items.properties).map(([key, field]) => {
    const { default: value, ...rules } = keywords(field);
    return [key, value === undefined ? field : Type.Optional(Type.Unsafe(rules))] as const;
  });
  const { $id } = keywords(items);
  return Type.Object(Object.fromEntries(fields), {
    ...(typeof $id === 'string' ? { $id: `${$id}Input` } : {}),
    additionalProperties: false,
  });
}

/** Freezes a JSON value with everything in it, and returns it. */
export function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
