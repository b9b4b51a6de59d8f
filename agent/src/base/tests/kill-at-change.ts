/** Hard kills of a process in the middle of its writes, for tests. */
import type { ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';

/**
 * Kills a process at the n-th change in a folder from now on: a file made, written to, renamed or removed. A kill at a
 * random time mostly meets no write at all.
 * @returns a function that ends the watching; the end of the process does so too
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
