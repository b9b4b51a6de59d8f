/** JSON values: comparing, reading and patching them. Pure. */

export type JsonObject = { readonly [key: string]: unknown };
/** Keys from the root of a document to a value. */
export type Path = readonly string[];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a key that an object has itself; undefined for none. */
export function own(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce(own, tree);
}

/** Whether two values are equal; the order of keys does not matter. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one: unknown, index) => same(one, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
  );
}

/** `tree` with a value at a path; groups that are missing are added. */
export function withValue(tree: unknown, [key, ...rest]: Path, value: unknown): JsonObject {
  const before = isObject(tree) ? tree : {};
  if (key === undefined) return before;
  return { ...before, [key]: rest.length === 0 ? value : withValue(own(before, key), rest, value) };
}

/** `tree` without the value at a path. */
export function withoutValue(tree: JsonObject, [key, ...rest]: Path): JsonObject {
  if (key === undefined || !Object.hasOwn(tree, key)) return tree;
  const below = tree[key];
  if (rest.length > 0) return isObject(below) ? { ...tree, [key]: withoutValue(below, rest) } : tree;
  return Object.fromEntries(Object.entries(tree).filter(([name]) => name !== key));
}

/** RFC 7396: `target` with `patch` merged into it. */
export function mergePatch(target: unknown, patch: JsonObject): JsonObject {
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? mergePatch(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}

/** The merge patch that turns one document into another: only what differs, and null for what is missing. */
export function patchBetween(before: JsonObject, after: JsonObject): JsonObject {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).flatMap(([key, value]): [string, unknown][] => {
    const old = own(before, key);
    if (same(old, value)) return [];
    return [[key, isObject(old) && isObject(value) ? patchBetween(old, value) : value]];
  });
  return Object.fromEntries([...removed.map((key): [string, unknown] => [key, null]), ...changed]);
}
