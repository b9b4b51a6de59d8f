/** JSON from outside, of which nothing is known. Pure. */

/** What a path of members leads to; undefined if there is nothing. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    const members: Readonly<Record<string, unknown>> = { ...found };
    found = members[key];
  }
  return found;
}

/** The JSON object that somebody has typed; undefined if it is none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
