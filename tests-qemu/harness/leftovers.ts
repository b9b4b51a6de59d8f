import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerOf } from '../../ci/qemu/instance.ts';

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Removes what test runs left in `folder` that were killed: entries named after the process, `test-PID-N`,
 * `test-PID-N.qcow2`, `test-start-PID`, `test-uboot-PID`, `test-cuts-a-PID.img`. That of a machine which still powers down stays.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const entry of await readdir(folder).catch(() => [])) {
    const pid = Number(
      /^test-(?:start-|uboot-|cuts-[a-z]-)?(\d+)(?:-\d+)?(?:\.qcow2|\.img)?$/.exec(entry)?.[1] ?? 0,
    );
    if (pid === 0 || lives(pid) || (await ownerOf(join(folder, entry)))) continue;
    await rm(join(folder, entry), { recursive: true, force: true });
  }
}
