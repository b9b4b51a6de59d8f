/** Reads values out of the configuration, which the app has as any JSON. Pure. */

export type ConfigGroup = Readonly<Record<string, unknown>>;

export function isGroup(value: unknown): value is ConfigGroup {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A part of an object; empty if it has no object of that name. */
export function groupIn(value: unknown, name: string): ConfigGroup {
  const group = isGroup(value) ? value[name] : undefined;
  return isGroup(group) ? group : {};
}

export function textIn(group: ConfigGroup, name: string): string | null {
  const value = group[name];
  return typeof value === 'string' ? value : null;
}

/** The texts of a list. */
export function textsIn(group: ConfigGroup, name: string): string[] {
  const value = group[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/**
 * The value at a path in the configuration: `fieldOf(config, 'audio', 'output')`.
 * @returns undefined if there is none
 */
export function fieldOf(config: unknown, ...path: readonly string[]): unknown {
  let value = config;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([key]) => key === name)?.[1];
  }
  return value;
}
