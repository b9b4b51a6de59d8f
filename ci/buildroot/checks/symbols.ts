/** Parses Kconfig files: `NAME=value`, and `# NAME is not set`, which means `NAME=n`. */

/** The symbols of a configuration with their values as written; `n` for "is not set". */
export function symbolsOf(configuration: string): Map<string, string> {
  const symbols = new Map<string, string>();
  for (const line of configuration.split('\n')) {
    const set = /^(BR2_\w+)=(.*)$/.exec(line);
    const unset = /^# (BR2_\w+) is not set$/.exec(line);
    if (set?.[1] !== undefined && set[2] !== undefined) symbols.set(set[1], set[2]);
    else if (unset?.[1] !== undefined) symbols.set(unset[1], 'n');
  }
  return symbols;
}

/** The symbols of `wanted` that are missing in `configuration` or have another value, one line each. */
export function lostSymbols(wanted: ReadonlyMap<string, string>, configuration: string): string[] {
  const got = symbolsOf(configuration);
  return [...wanted]
    .filter(([name, value]) => got.get(name) !== value)
    .map(([name, value]) => `${name}: wanted ${value}, got ${got.get(name) ?? 'nothing'}`);
}

/** The symbols of `wanted` that the minimal configuration (`savedefconfig`) omits because they are defaults. */
export function redundantSymbols(wanted: ReadonlyMap<string, string>, shortest: string): string[] {
  const needed = symbolsOf(shortest);
  return [...wanted.keys()].filter((name) => !needed.has(name));
}

/** The files that a defconfig's line `# fragments: NAME…` names; `board` is the defconfig itself. */
export function fragmentNames(defconfig: string): string[] {
  const line = /^# fragments: (.+)$/m.exec(defconfig)?.[1];
  return line?.trim().split(/\s+/) ?? [];
}
