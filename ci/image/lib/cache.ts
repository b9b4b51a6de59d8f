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
import { errorMessage } from '../../../agent/src/base/system-error.ts';
import { Problem } from '../../lib/problem.ts';
import { run, say } from './run.ts';

/**
 * A cache of folders, addressed by the hash of their inputs. Each folder is built under a temporary name and then
 * renamed, so that an existing one is always complete.
 */
export class Cache {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Where the folder for `kind` and `key` is, or will be. */
  pathOf(kind: string, key: string): string {
    return join(this.folder, `${kind}-${key}`);
  }

  /** The folder for `kind` and `key`, or undefined when there is none. Marks it as used. */
  find(kind: string, key: string): string | undefined {
    const path = this.pathOf(kind, key);
    if (!existsSync(path)) return undefined;
    const now = new Date();
    utimesSync(path, now, now);
    return path;
  }

  /** Whether any folder of the kind exists, for whatever key. */
  hasAny(kind: string): boolean {
    return this.#all(kind).length > 0;
  }

  /**
   * Finds or builds a folder. After building, only the `keep` most recently used folders of its kind remain, and those in
   * which a process of this user has a file open.
   * @param work fills the empty folder that it gets
   */
  async make(
    kind: string,
    key: string,
    keep: number,
    work: (folder: string) => Promise<void>,
  ): Promise<string> {
    const found = this.find(kind, key);
    if (found) return found;
    const path = this.pathOf(kind, key);
    await this.scratch(kind, async (temporary) => {
      await work(temporary);
      renameSync(temporary, path);
    });
    this.find(kind, key);
    await this.#prune(kind, keep);
    return path;
  }

  /** Removes the folder for `kind` and `key`, if it exists. */
  async remove(kind: string, key: string): Promise<void> {
    await removeAll([this.pathOf(kind, key)]);
  }

  /** Runs `work` with an empty folder that is always removed afterwards. */
  async scratch(kind: string, work: (folder: string) => Promise<void>): Promise<void> {
    const folder = join(this.folder, `tmp-${kind}`);
    // Left by an interrupted build; because of the lock no other build is using it.
    await removeAll([folder]);
    mkdirSync(folder);
    try {
      await work(folder);
    } finally {
      await removeAll([folder]);
    }
  }

  /**
   * Removes the leftovers of interrupted builds, which can be gigabytes each: {@link scratch} only removes those of the
   * same kind. Call it within {@link exclusively}. Folders that cannot be removed stay.
   */
  async sweep(): Promise<void> {
    const left = readdirSync(this.folder).filter((name) => name.startsWith('tmp-'));
    if (left.length > 0) say(`removing the leftovers of an interrupted build: ${left.join(' ')}`);
    await removeAll(left.map((name) => join(this.folder, name))).catch((error: unknown) => {
      say(errorMessage(error));
    });
  }

  /**
   * Runs `work` in one process at a time; the other processes print that they are waiting.
   * @param other name of the other process, as it reads before "is running"
   */
  async exclusively<T>(work: () => Promise<T>, other = 'another build'): Promise<T> {
    const file = join(this.folder, 'lock');
    // "cat" ends and releases the lock when its input is closed: when this process is done or dead.
    const holder = spawn('flock', ['--exclusive', file, 'sh', '-c', 'echo; exec cat'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const closed = once(holder, 'close');
    const late = setTimeout(() => say(`${other} is running; waiting for it …`), 500);
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

/** The paths of all files that processes of this user have open. */
function openFiles(): string[] {
  // Processes end and files are closed meanwhile, and those of other users are not readable.
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
  // A killed build may have left mounts in the folder; the mounted files must not be removed.
  if (paths.length > 0) await run('rm', ['-rf', '--one-file-system', '--', ...paths]);
}
