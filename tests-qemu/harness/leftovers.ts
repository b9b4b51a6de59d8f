import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerOf } from '../../client/virtual-devices.ts';
import { isRunning } from '../../testing/processes.ts';

/**
 * Removes from `folder` the entries that killed test runs left behind. They are named after the process: `test-PID-N`,
 * `test-PID-N.qcow2`, `test-start-qemu-PID`, `test-uboot-PID`, `test-cuts-a-PID.img`. Those of a machine that is still
 * powering down stay.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const entry of await readdir(folder).catch(() => [])) {
    const pid = Number(
      /^test-(?:start-[a-z]+-|uboot-|cuts-[a-z]-)?(\d+)(?:-\d+)?(?:\.qcow2|\.img|\.ext4)?$/.exec(
        entry,
      )?.[1] ?? 0,
    );
    if (pid === 0 || isRunning(pid) || (await ownerOf(join(folder, entry)))) continue;
    await rm(join(folder, entry), { recursive: true, force: true });
  }
}
