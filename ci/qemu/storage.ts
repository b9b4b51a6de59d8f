import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../agent/src/base/atomic-file.ts';
import { ownerOf } from '../../client/virtual-devices.ts';
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
    const isMarked = await readFile(join(folderOf(other), MARK)).catch(() => undefined);
    if (!isMarked || other === name || (await ownerOf(instancePaths(other).folder))) continue;
    await removeStorage(other);
  }
  const folder = folderOf(name);
  await mkdir(folder, { recursive: true });
  if (discard) await writeFile(join(folder, MARK), '');
  else await rm(join(folder, MARK), { force: true });
  return folder;
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
