/** Which programs have a tty of this computer open. For Node; other systems than Linux do not tell it. */
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';

/** Where programs of old write their number (FHS 3.0, 5.9): minicom, picocom. */
const LOCK_FOLDERS = ['/run/lock', '/var/lock'];
/** Time limit for the search, in ms: what is found until then counts. It takes some milliseconds. */
const SEARCH_MS = 1000;

export interface Holder {
  /** As `ps` shows it, at most 15 characters. */
  name: string;
  pid: number;
}

/**
 * The programs that have a tty open, as far as this user may see that, and those that have locked it by a file. Blocks: the
 * thousands of short calls would take ten times as long in the thread pool.
 * @param path may be a symbolic link
 */
export function holdersOf(path: string): Holder[] {
  if (process.platform !== 'linux') return [];
  const tty = attempt(() => realpathSync(path), '');
  if (tty === '') return [];
  const pids = new Set(lockersOf([basename(tty), basename(path)]));
  const end = performance.now() + SEARCH_MS;
  for (const entry of namesIn('/proc')) {
    if (!/^\d+$/.test(entry) || pids.has(Number(entry))) continue;
    if (performance.now() > end) break;
    if (hasOpen(entry, tty)) pids.add(Number(entry));
  }
  return [...pids].map((pid) => ({ pid, name: textOf(`/proc/${pid}/comm`).trim() || 'a program' }));
}

/** `minicom (pid 123)` */
export function listed(holders: readonly Holder[]): string {
  return holders.map(({ name, pid }) => `${name} (pid ${pid})`).join(', ');
}

function hasOpen(pid: string, tty: string): boolean {
  const targets = namesIn(`/proc/${pid}/fd`).map((file) => ({
    file,
    to: attempt(() => readlinkSync(`/proc/${pid}/fd/${file}`), ''),
  }));
  const isTty = ({ file, to }: { file: string; to: string }): boolean =>
    to === tty && isSame(`/proc/${pid}/fd/${file}`, tty);
  if (!targets.some(isTty)) return false;
  // Another program at the other end of a pseudo-terminal may keep this end open, too. It does not take what comes.
  const index = /^\/dev\/pts\/(\d+)$/.exec(tty)?.[1];
  if (index === undefined || Number(pid) === process.pid) return true;
  const isMaster = ({ file, to }: { file: string; to: string }): boolean =>
    /^\/dev\/(?:pts\/)?ptmx$/.test(to) &&
    new RegExp(`^tty-index:\\s*${index}$`, 'm').test(textOf(`/proc/${pid}/fdinfo/${file}`));
  return !targets.some(isMaster);
}

/** Containers have other ttys of the same names. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => attempt(() => statSync(path), undefined));
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino;
}

/** The processes of lock files. Those of processes that have ended do not count. */
function lockersOf(names: readonly string[]): number[] {
  const files = LOCK_FOLDERS.flatMap((folder) => names.map((name) => `${folder}/LCK..${name}`));
  const pids = files.map((file) => Number(textOf(file).trim()));
  return pids.filter(
    (pid) => Number.isInteger(pid) && pid > 0 && pid !== process.pid && textOf(`/proc/${pid}/comm`) !== '',
  );
}

function textOf(file: string): string {
  return attempt(() => readFileSync(file, 'utf8'), '');
}

function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder), []);
}

/** Files of other users are not readable, and a process may end at any time. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
