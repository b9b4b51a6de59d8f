/** Whether processes run, and killing one in the middle of its writes. */
import type { ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';
import { errorCode } from '../agent/src/base/system-error.ts';

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

/** Whether there is a process of this id, also one of another user. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
