/** Kills a process in the middle of its writes, for tests. */
import type { ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';

/**
 * Kills a process at the n-th change in a folder from now on: a file created, written, renamed or removed. A kill at a
 * random time would rarely hit a write.
 * @returns a function that stops watching, as does the exit of the process
 */
export function killAtChange(child: ChildProcess, folder: string, n: number): () => void {
  let changes = 0;
  const watcher = watch(folder, () => {
    changes += 1;
    if (changes === n) child.kill('SIGKILL');
  });
  const end = (): void => watcher.close();
  child.once('exit', end);
  return end;
}
