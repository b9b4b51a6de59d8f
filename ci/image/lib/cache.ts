import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../../lib/problem.ts';
import { run, say } from './run.ts';

/**
 * Folders that were made once and are found again by the hash of what they were made from. Each is made under
 * another name and then renamed, so that one that is there is whole.
 */
export class Cache {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** The folder for `kind` made from `key`, or undefined when there is none. Finding one counts as using it. */
  find(kind: string, key: string): string | undefined {
    const path = join(this.folder, `${kind}-${key}`);
    if (!existsSync(path)) return undefined;
    const now = new Date();
    utimesSync(path, now, now);
    return path;
  }

  /** Whether any folder of the kind is there, made from whatever. */
  hasAny(kind: string): boolean {
    return this.#all(kind).length > 0;
  }

  /**
   * Finds the folder or has it made; afterwards only the `keep` last used of its kind remain, and those in which some
   * process of this user has a file open.
   * @param work fills the empty folder that it is given
   */
  async make(
    kind: string,
    key: string,
    keep: number,
    work: (folder: string) => Promise<void>,
  ): Promise<string> {
    const found = this.find(kind, key);
    if (found) return found;
    const path = join(this.folder, `${kind}-${key}`);
    await this.scratch(kind, async (temporary) => {
      await work(temporary);
      renameSync(temporary, path);
    });
    this.find(kind, key);
    await this.#prune(kind, keep);
    return path;
  }

  /** Removes the folder for `kind` made from `key`, if there is one. */
  async remove(kind: string, key: string): Promise<void> {
    await removeAll([join(this.folder, `${kind}-${key}`)]);
  }

  /** Runs `work` with an empty folder that is removed afterwards, whatever happens. */
  async scratch(kind: string, work: (folder: string) => Promise<void>): Promise<void> {
    const folder = join(this.folder, `tmp-${kind}`);
    // Left by a build that was cut off; the lock says that none is at work on it.
    await removeAll([folder]);
    mkdirSync(folder);
    try {
      await work(folder);
    } finally {
      await removeAll([folder]);
    }
  }

  /**
   * Removes what builds that were cut off have left, gigabytes each: {@link scratch} does so only when the same kind is
   * made again. Call it within {@link exclusively}. What cannot be removed stays.
   */
  async sweep(): Promise<void> {
    const left = readdirSync(this.folder).filter((name) => name.startsWith('tmp-'));
    if (left.length > 0) say(`removing what a build that was cut off left: ${left.join(' ')}`);
    await removeAll(left.map((name) => join(this.folder, name))).catch((error: unknown) => {
      say(error instanceof Error ? error.message : String(error));
    });
  }

  /**
   * Lets one process at a time do `work`; the others say that they wait.
   * @param other what the others do, as it reads before "is at work"
   */
  async exclusively<T>(work: () => Promise<T>, other = 'another build'): Promise<T> {
    const file = join(this.folder, 'lock');
    // "cat" ends, and with it the lock, when its input is closed: when this process is done or dead.
    const holder = spawn('flock', ['--exclusive', file, 'sh', '-c', 'echo; exec cat'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const closed = once(holder, 'close');
    const late = setTimeout(() => say(`${other} is at work; waiting for it …`), 500);
    try {
      const refused = closed.then(() => {
        throw new Problem(`${file} could not be locked.`);
      });
      refused.catch(() => undefined);
      await Promise.race([once(holder.stdout, 'data'), refused]);
    } finally {
      clearTimeout(late);
    }
    try {
      return await work();
    } finally {
      holder.stdin.end();
    }
  }

  async #prune(kind: string, keep: number): Promise<void> {
    const used = (path: string): number => statSync(path).mtimeMs;
    const old = this.#all(kind)
      .sort((a, b) => used(b) - used(a))
      .slice(keep);
    if (old.length === 0) return;
    const open = openFiles();
    await removeAll(old.filter((path) => !open.some((file) => file.startsWith(`${realpathSync(path)}/`))));
  }

  #all(kind: string): string[] {
    const named = new RegExp(`^${kind}-[0-9a-f]{24}$`);
    return readdirSync(this.folder)
      .filter((name) => named.test(name))
      .map((name) => join(this.folder, name));
  }
}

/** What the processes have open that this user may look at, as far as it has a path. */
function openFiles(): string[] {
  // Processes end and files are closed while this looks, and other users' are not shown.
  const orNothing = <T>(read: () => T[]): T[] => {
    try {
      return read();
    } catch {
      return [];
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => `/proc/${pid}/fd`)
    .flatMap((folder) => orNothing(() => readdirSync(folder)).map((name) => join(folder, name)))
    .flatMap((descriptor) => orNothing(() => [readlinkSync(descriptor)]));
}

async function removeAll(paths: string[]): Promise<void> {
  // What a killed build may have left mounted in there is not the cache's to remove.
  if (paths.length > 0) await run('rm', ['-rf', '--one-file-system', '--', ...paths]);
}
