import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const CGROUPS = '/sys/fs/cgroup';

/**
 * Memory of a process's control group in bytes, shared memory included, page cache excluded. Null when it cannot be
 * read.
 * @param pid any process of the group
 */
export async function groupMemory(pid: number): Promise<number | null> {
  try {
    const group = /^0::(\/.*)$/m.exec(await readFile(`/proc/${pid}/cgroup`, 'utf8'))?.[1];
    if (group === undefined || group === '/') return null;
    return heldMemory(await readFile(join(CGROUPS, group, 'memory.stat'), 'utf8'));
  } catch {
    return null;
  }
}

/** The bytes of a memory.stat file (Linux: admin-guide/cgroup-v2) that are not page cache; null without the fields. */
export function heldMemory(stat: string): number | null {
  const field = (name: string) => new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1];
  const anonymous = field('anon');
  const shared = field('shmem');
  return anonymous === undefined || shared === undefined ? null : Number(anonymous) + Number(shared);
}
