/** Which programs have a tty of this computer open. For Node; other systems than Linux do not tell it. */
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename } from 'node:path';

/** Where programs of old write their number (FHS 3.0, 5.9): minicom, picocom. */
const LOCK_FOLDERS = ['/run/lock', '/var/lock'];
/** Time limit for the search, in ms: what is found until then counts. It takes a fraction of a second. */
const SEARCH_MS = 3000;

export interface Holder {
  /** As `ps` shows it, at most 15 characters. */
  name: string;
  pid: number;
}

/**
 * The programs that have a tty open, as far as this user may see that, and those that have locked it by a file.
 * @param path may be a symbolic link
 */
export async function holdersOf(path: string): Promise<Holder[]> {
  if (process.platform !== 'linux') return [];
  const tty = await realpath(path).catch(() => undefined);
  if (tty === undefined) return [];
  const pids = new Set(await lockersOf([basename(tty), basename(path)]));
  const end = performance.now() + SEARCH_MS;
  for (const entry of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(entry) || pids.has(Number(entry))) continue;
    if (performance.now() > end) break;
    if (await hasOpen(entry, tty)) pids.add(Number(entry));
  }
  return await Promise.all([...pids].map(async (pid) => ({ pid, name: await nameOf(pid) })));
}

/** `minicom (pid 123)` */
export function listed(holders: readonly Holder[]): string {
  return holders.map(({ name, pid }) => `${name} (pid ${pid})`).join(', ');
}

async function hasOpen(pid: string, tty: string): Promise<boolean> {
  // The files of other users are not readable, and a process may end at any time.
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(
    files.map(async (file) => ({ file, to: await readlink(`/proc/${pid}/fd/${file}`).catch(() => '') })),
  );
  if (!targets.some(({ to }) => to === tty)) return false;
  // The program at the other end of a pseudo-terminal may keep this end open, too. It does not take what comes.
  const index = /^\/dev\/pts\/(\d+)$/.exec(tty)?.[1];
  for (const { file, to } of targets) {
    if (index === undefined || !/^\/dev\/(?:pts\/)?ptmx$/.test(to)) continue;
    const info = await readFile(`/proc/${pid}/fdinfo/${file}`, 'utf8').catch(() => '');
    if (new RegExp(`^tty-index:\\s*${index}$`, 'm').test(info)) return false;
  }
  return true;
}

/** The processes of lock files. Those of processes that have ended do not count. */
async function lockersOf(names: readonly string[]): Promise<number[]> {
  const files = LOCK_FOLDERS.flatMap((folder) => names.map((name) => `${folder}/LCK..${name}`));
  const pids = await Promise.all(
    files.map(async (file) => Number((await readFile(file, 'utf8').catch(() => '')).trim())),
  );
  return pids.filter((pid) => Number.isInteger(pid) && pid > 0 && pid !== process.pid && isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function nameOf(pid: number): Promise<string> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  return name.trim() || 'a program';
}
