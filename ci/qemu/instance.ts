import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { writeFileAtomic } from '../../agent/src/base/atomic-file.ts';
import { runtimeFolder } from '../lib/places.ts';
import { Problem } from '../lib/problem.ts';

/** What `--ready-json` holds: where everything of a running machine is. */
export interface ReadyInfo {
  /** `{base_url}` of the interface, `http://127.0.0.1:8080/api/v1`. */
  api: string;
  /** The same over HTTPS, `https://127.0.0.1:8443/api/v1`: answers once a server certificate is uploaded. */
  https: string;
  /** WebSocket of the events. */
  events: string;
  /** Unix socket that carries the serial link's NDJSON; one client at a time. */
  serial: string;
  /** Unix socket of QEMU's machine protocol; one client at a time. */
  qmp: string;
  /** VNC server on the loopback, `127.0.0.1:5900`; null when the screen is a window. */
  vnc: string | null;
  /** How a page on the device reaches this computer's loopback. */
  host_address: string;
  /** The process that owns the machine: SIGTERM powers it down, and it ends with the machine. */
  pid: number;
}

const Owner = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  /** Tells a process from a later one with the same id. */
  born: Type.String(),
  api: Type.String(),
});

/** When a process was started, in the kernel's ticks; undefined when there is no such process. */
function birthOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in parentheses, may hold spaces; the start time is field 22.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : fields[18];
  } catch {
    return undefined;
  }
}

/** The files of a machine while it runs. */
export interface InstancePaths {
  folder: string;
  /** For whoever uses the machine. */
  qmp: string;
  /** For the process that owns the machine. */
  control: string;
  serial: string;
  shell: string;
  relay: string;
  console: string;
  /** QEMU's own messages. */
  qemuLog: string;
}

export function instancePaths(name: string): InstancePaths {
  const folder = runtimeFolder(name);
  const at = (file: string): string => join(folder, file);
  return {
    folder,
    qmp: at('qmp.sock'),
    control: at('control.sock'),
    serial: at('serial.sock'),
    shell: at('shell.sock'),
    relay: at('relay.sock'),
    console: at('console.log'),
    qemuLog: at('qemu.log'),
  };
}

/** The process that owns a machine, if it lives. */
export async function ownerOf(folder: string): Promise<{ pid: number; api: string } | undefined> {
  const text = await readFile(join(folder, 'owner.json'), 'utf8').catch(() => '');
  let owner: unknown;
  try {
    owner = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Value.Check(Owner, owner) || birthOf(owner.pid) !== owner.born) return undefined;
  return owner;
}

/** Throws a {@link Problem} when a machine of that name runs. */
export async function needFreeName(name: string): Promise<void> {
  const running = await ownerOf(instancePaths(name).folder);
  if (running) {
    throw new Problem(
      `a machine named "${name}" runs already (${running.api}). End it with "npm stop${name === 'vitrine' ? '' : ` -- --name ${name}`}", or start another one with --name OTHER --port N.`,
    );
  }
}

/** Takes a name for this process; a {@link Problem} when a machine of that name runs. */
export async function claimInstance(name: string, api: string): Promise<InstancePaths> {
  await needFreeName(name);
  const paths = instancePaths(name);
  await rm(paths.folder, { recursive: true, force: true });
  await mkdir(dirname(paths.folder), { recursive: true });
  await mkdir(paths.folder, { mode: 0o700 }).catch(() => {
    throw new Problem(`another start of "${name}" is under way.`);
  });
  const file = await open(join(paths.folder, 'owner.json'), 'wx');
  await file.writeFile(JSON.stringify({ pid: process.pid, born: birthOf(process.pid) ?? '', api }));
  await file.close();
  return paths;
}

/** Gives the name free; the folder goes, unless `keep` says that its logs are still wanted. */
export async function releaseInstance(paths: InstancePaths, keep: boolean): Promise<void> {
  await rm(keep ? join(paths.folder, 'owner.json') : paths.folder, { recursive: true, force: true });
}

/** The names of the machines that run now. */
export async function runningInstances(): Promise<string[]> {
  const base = dirname(runtimeFolder('any'));
  const names = await readdir(base).catch(() => []);
  const found: string[] = [];
  for (const name of names) if (await ownerOf(join(base, name))) found.push(name);
  return found;
}

/**
 * Asks the owner of a machine to power it down and waits until it is gone; past `timeoutMs` the owner is killed and
 * the machine with it.
 * @returns `none` when no such machine runs
 */
export async function stopInstance(name: string, timeoutMs: number): Promise<'none' | 'stopped' | 'killed'> {
  const { folder } = instancePaths(name);
  const owner = await ownerOf(folder);
  if (!owner) return 'none';
  process.kill(owner.pid, 'SIGTERM');
  const end = performance.now() + timeoutMs;
  while (await ownerOf(folder)) {
    if (performance.now() > end) {
      process.kill(owner.pid, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
      return 'killed';
    }
    await sleep(100);
  }
  return 'stopped';
}

/** Writes the `--ready-json` file: it appears whole or not at all. */
export async function writeReady(file: string, ready: ReadyInfo): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify(ready, null, 2)}\n`);
}
