/** A piece of work that keeps so many processors busy. */
export interface Job {
  places: number;
  run: () => Promise<void>;
}

/**
 * Starts jobs in their order, side by side as far as there are places. One that needs more than are free is waited for,
 * and nothing overtakes it; one that needs more than there are runs alone. The first error ends it when what runs has
 * ended: nothing more is started.
 */
export async function runSideBySide(jobs: Job[], places: number): Promise<void> {
  const waiting = [...jobs];
  const running = new Set<Promise<void>>();
  let free = places;
  const errors: unknown[] = [];
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting[0];
    const needed = Math.min(next?.places ?? 0, places);
    if (next && needed <= free && errors.length === 0) {
      waiting.shift();
      free -= needed;
      const work = next
        .run()
        .catch((error: unknown) => void errors.push(error))
        .then(() => {
          free += needed;
          running.delete(work);
        });
      running.add(work);
      continue;
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  if (errors.length > 0) throw errors[0];
}
