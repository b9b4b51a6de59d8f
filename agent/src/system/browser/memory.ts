import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserMemory } from '../../resources/display/ports.ts';

const CGROUPS = '/sys/fs/cgroup';
const WEB_PROCESS = 'WPEWebProcess';

/**
 * Memory and web processes of a process's control group. Null when it cannot be read.
 * @param pid any process of the group
 */
export async function groupMemory(pid: number): Promise<BrowserMemory | null> {
  try {
    const group = /^0::(\/.*)$/m.exec(await readFile(`/proc/${pid}/cgroup`, 'utf8'))?.[1];
    if (group === undefined || group === '/') return null;
    const [stat, pids] = await Promise.all([
      readFile(join(CGROUPS, group, 'memory.stat'), 'utf8'),
      readFile(join(CGROUPS, group, 'cgroup.procs'), 'utf8'),
    ]);
    const bytes = heldMemory(stat);
    const names = await Promise.all(pids.split('\n').filter(Boolean).map(nameOf));
    return bytes === null
      ? null
      : { bytes, webProcesses: names.filter((name) => name === WEB_PROCESS).length };
  } catch {
    return null;
  }
}

/** Of a process; the kernel keeps 15 characters. Undefined for one that has ended. */
async function nameOf(pid: string): Promise<string | undefined> {
  return readFile(`/proc/${pid}/comm`, 'utf8').then(
    (name) => name.trim(),
    () => undefined,
  );
}

/** The bytes of a memory.stat file (Linux: admin-guide/cgroup-v2) that are not page cache; null without the fields. */
export function heldMemory(stat: string): number | null {
  const field = (name: string) => new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1];
  const anonymous = field('anon');
  const shared = field('shmem');
  return anonymous === undefined || shared === undefined ? null : Number(anonymous) + Number(shared);
}
