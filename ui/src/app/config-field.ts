/** Fields of the configuration, for which the contract has no types. Pure. */

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
