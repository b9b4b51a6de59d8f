/** A piece of work, and the number of processors that it keeps busy. */
export interface Job {
  processors: number;
  run: () => Promise<void>;
}

/**
 * Starts jobs in order, in parallel as far as processors are free. A job that needs more than are free waits, and no later
 * job overtakes it; a job that needs more than there are runs alone. After an error no more jobs are started, and the
 * error is thrown when the running jobs have ended.
 */
export async function runSideBySide(jobs: Job[], processors: number): Promise<void> {
  const waiting = [...jobs];
  const running = new Set<Promise<void>>();
  let free = processors;
  const errors: unknown[] = [];
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting[0];
    const needed = Math.min(next?.processors ?? 0, processors);
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
