/** What somebody probably meant who has mistyped a name. */

/** Longer names are not compared, which takes time with the square of the length. */
const MAX_LENGTH = 64;
/** A name that differs by more characters is another one. */
const MAX_DISTANCE = 2;

/** The known name that `given` becomes by the fewest mistakes, at most two and in at most half of it; undefined if there is none. */
export function closest(given: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const distance = distanceOf(given, name);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/**
 * How many characters must be inserted, removed or changed, or exchanged with the next one, to make one name the other; letter case
 * does not count.
 * @returns Infinity if they are too different
 */
export function distanceOf(given: string, name: string): number {
  const limit = Math.min(MAX_DISTANCE, Math.floor(name.length / 2));
  if (given.length > MAX_LENGTH || Math.abs(given.length - name.length) > limit)
    return Number.POSITIVE_INFINITY;
  const [a, b] = [given.toLowerCase(), name.toLowerCase()];
  let [last, before]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 0; i < a.length; i += 1) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const changed = (before?.[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const isExchanged = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const exchanged = isExchanged ? (last?.[j - 1] ?? 0) + 1 : changed;
      row.push(Math.min(changed, exchanged, (before?.[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
    [last, before] = [before, row];
  }
  const distance = before?.[b.length] ?? 0;
  return distance <= limit ? distance : Number.POSITIVE_INFINITY;
}
