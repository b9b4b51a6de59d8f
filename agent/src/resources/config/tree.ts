import { type TSchema, Type } from 'typebox';
import { APPLIED, type Applied } from './fields.ts';

/** A JSON object as it comes from outside. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A schema is plain JSON: its keywords, of which TypeBox types but a few. */
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

/** What every entry of a map (`display.screens`) must be, when the schema is one. */
function entryOf(schema: TSchema): TSchema | undefined {
  return Type.IsRecord(schema) ? Object.values(schema.patternProperties)[0] : undefined;
}

/** The schema under a key of a group or a map; undefined when the tree has nothing there. */
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

/** The full tree: what `sparse` sets, and the schema's defaults for the rest. Unknown keys stay out. */
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

/** Items of a list may leave out the fields that have a default. */
function fillItem(schema: TSchema, item: unknown): unknown {
  if (!isObject(item) || !Type.IsObject(schema)) return item;
  const missing = Object.entries(schema.properties).filter(
    ([key, field]) => 'default' in field && !Object.hasOwn(item, key),
  );
  return { ...item, ...Object.fromEntries(missing.map(([key, field]) => [key, keywords(field).default])) };
}

/** The part of a document that the schema knows by name, and the paths of what it does not. */
export function splitKnown(schema: TSchema, value: unknown): { known: unknown; unknown: string[] } {
  const strange: string[] = [];
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
      else strange.push([...path, key].join('.'));
    }
    return Object.fromEntries(kept);
  };
  return { known: keep(schema, value, []), unknown: strange };
}

/**
 * The leaves that a patch touches, in its order, as dotted paths with when each takes effect. A null on a group
 * touches all of its leaves; an entry of a map touches those of the entry.
 * @param current the full configuration the patch meets: says which entries a null on a map removes
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
 * `tree` without what lies at a JSON pointer. An element of a list takes the list with it, and a field that is
 * missing takes its group.
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
    // Which entries a patch may name is the store's to say.
    return Type.Record(Type.String(), child(entry), nullable ? notes : bounds);
  }
  if (Type.IsArray(schema)) {
    const { type: _type, items: _items, ...bounds } = rules;
    return Type.Array(itemSchema(schema.items), bounds);
  }
  return Type.Unsafe(rules);
}

/** An item as a client sends it: what has a default may be left out. Named for itself then: `WifiNetworkInput`. */
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
