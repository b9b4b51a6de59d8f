import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomic } from '../../agent/src/base/atomic-file.ts';
import { ownerOf, startTimeOf } from '../../client/virtual-devices.ts';
import { cacheFolder } from '../lib/places.ts';
import { instancePaths } from './instance.ts';

/** In the folder of a machine whose disk is erased when it ends. */
const MARK = 'discard';

function folderOf(name: string): string {
  return join(cacheFolder(), 'machines', name);
}

/**
 * The folder of a machine's disk, for the process that has claimed the machine's name. Removes the disks of others that
 * were to be erased, but whose `npm start` was killed.
 * @param discard this one is to be erased, too
 */
export async function storageFolder(name: string, discard: boolean): Promise<string> {
  for (const other of await readdir(join(cacheFolder(), 'machines')).catch(() => [])) {
    const mark = await readFile(join(folderOf(other), MARK), 'utf8').catch(() => undefined);
    if (mark === undefined || other === name || isInUse(mark)) continue;
    if (await ownerOf(instancePaths(other).folder)) continue;
    // Another start may be doing the same.
    await removeStorage(other).catch(() => undefined);
  }
  const folder = folderOf(name);
  await mkdir(folder, { recursive: true });
  if (discard) await writeFile(join(folder, MARK), markOf(process.pid));
  else await rm(join(folder, MARK), { force: true });
  return folder;
}

/** The process that erases the disk. The folder may be shared with other computers. */
function markOf(pid: number): string {
  return JSON.stringify({ host: hostname(), pid, born: startTimeOf(pid) });
}

function isInUse(mark: string): boolean {
  try {
    const { host, pid }: { host?: unknown; pid?: unknown } = Object(JSON.parse(mark));
    return host !== hostname() || markOf(Number(pid)) === mark;
  } catch {
    return false; // cut off
  }
}

/** Erases a machine's disk. */
export async function removeStorage(name: string): Promise<void> {
  await rm(folderOf(name), { recursive: true, force: true });
}

/** A machine's serial number: generated once, then the same at every start, like that of a real board. */
export async function serialNumber(folder: string): Promise<string> {
  const file = join(folder, 'serial');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (/^VIRT-[0-9A-F]{8}$/.test(kept)) return kept;
  const made = `VIRT-${randomBytes(4).toString('hex').toUpperCase()}`;
  await writeFileAtomic(file, made);
  return made;
}
