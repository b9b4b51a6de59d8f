import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { writeFileAtomic } from '../../agent/src/base/atomic-file.ts';
import { DEFAULT_NAME } from '../lib/arguments.ts';
import { runtimeFolder } from '../lib/places.ts';
import { Problem } from '../lib/problem.ts';
import type { VirtualDevice } from '../lib/virtual-device.ts';

/** The content of the `--ready-json` file: the addresses of a running machine. */
export interface ReadyInfo {
  /** Of the machine, for `npm stop -- --name`. */
  name: string;
  /** Base URL of the API, `http://127.0.0.1:8080/api/v1`. */
  api: string;
  /** The same over HTTPS, `https://127.0.0.1:8443/api/v1`: answers once a server certificate is uploaded. */
  https: string;
  /** The API's documentation, `http://127.0.0.1:8080/api/v1/docs`. */
  docs: string;
  /** WebSocket URL of the events. */
  events: string;
  /** Unix socket of the serial link (NDJSON); one client at a time, also of `tty`. */
  serial: string;
  /** The same as a tty, for programs that need one: a symbolic link to a pseudo-terminal in raw mode. */
  tty: string;
  /** Unix socket of QEMU's machine protocol; one client at a time. null in a container. */
  qmp: string | null;
  /** VNC server on the loopback, `127.0.0.1:5900`; null when the screen is a window. */
  vnc: string | null;
  /** Address at which a page on the device reaches this computer's loopback. */
  host_address: string;
  /** The process that owns the machine: SIGTERM powers it down, and it ends with the machine. */
  pid: number;
}

/** The options of `npm start` for one device. */
export interface StartRequest {
  apiPort: number;
  /** Show the screen in a window, if that is possible. */
  window: boolean;
  /** Start as a device from the factory. */
  fresh: boolean;
  /** Run the working tree's agent. */
  dev: boolean;
  /** Emulate radios. */
  radios: boolean;
  serialNumber: string;
  /** The folder of the device's disk. */
  storage: string;
}

/** A device that is ready to be started. */
export interface PreparedDevice {
  start(): Promise<VirtualDevice>;
  /** Time limit for the API to answer. */
  bootTimeoutMs: number;
  qmp: string | null;
  /** Messages of the program that runs the device. */
  log: string;
}

const Owner = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  /** Start time of the process: distinguishes it from a later one with the same id. */
  born: Type.String(),
  api: Type.String(),
});

/** Start time of a process, in the kernel's clock ticks; undefined when the process does not exist. */
function startTimeOf(pid: number): string | undefined {
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
  /** QMP socket for users of the machine. */
  qmp: string;
  /** QMP socket for the process that owns the machine. */
  control: string;
  serial: string;
  tty: string;
  shell: string;
  relay: string;
  console: string;
  /** WAV file of the sound that a test's machine plays. */
  sound: string;
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
    tty: at('tty'),
    shell: at('shell.sock'),
    relay: at('relay.sock'),
    console: at('console.log'),
    sound: at('sound.wav'),
    qemuLog: at('qemu.log'),
  };
}

/** The process that owns a machine; undefined when it is not running. */
export async function ownerOf(folder: string): Promise<{ pid: number; api: string } | undefined> {
  const text = await readFile(join(folder, 'owner.json'), 'utf8').catch(() => '');
  let owner: unknown;
  try {
    owner = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Value.Check(Owner, owner) || startTimeOf(owner.pid) !== owner.born) return undefined;
  return owner;
}

/** The command that ends the machine of this name. */
export function stopCommand(name: string): string {
  return name === DEFAULT_NAME ? 'npm stop' : `npm stop -- --name ${name}`;
}

/** Throws a {@link Problem} when a machine of that name is running. */
export async function requireFreeName(name: string): Promise<void> {
  const running = await ownerOf(instancePaths(name).folder);
  if (running) {
    throw new Problem(
      `a machine named "${name}" is already running (${running.api}). End it with "${stopCommand(name)}", or start another one with --name OTHER --port N.`,
    );
  }
}

/** Claims a name for this process. Throws a {@link Problem} when a machine of that name is running. */
export async function claimInstance(name: string, api: string): Promise<InstancePaths> {
  await requireFreeName(name);
  const paths = instancePaths(name);
  await rm(paths.folder, { recursive: true, force: true });
  await mkdir(dirname(paths.folder), { recursive: true });
  await mkdir(paths.folder, { mode: 0o700 }).catch(() => {
    throw new Problem(`"${name}" is already being started.`);
  });
  const file = await open(join(paths.folder, 'owner.json'), 'wx');
  await file.writeFile(JSON.stringify({ pid: process.pid, born: startTimeOf(process.pid) ?? '', api }));
  await file.close();
  return paths;
}

/** Releases the name and removes the folder; with `keep` the folder and its logs stay. */
export async function releaseInstance(paths: InstancePaths, keep: boolean): Promise<void> {
  await rm(keep ? join(paths.folder, 'owner.json') : paths.folder, { recursive: true, force: true });
}

/** The names of the running machines. */
export async function runningInstances(): Promise<string[]> {
  const base = dirname(runtimeFolder('any'));
  const names = await readdir(base).catch(() => []);
  const found: string[] = [];
  for (const name of names) if (await ownerOf(join(base, name))) found.push(name);
  return found;
}

/**
 * Asks the owner of a machine to power it down and waits until it is gone. After `timeoutMs` the owner is killed, which
 * also ends the machine.
 * @returns `none` when no such machine is running
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

/** Writes the `--ready-json` file atomically. */
export async function writeReady(file: string, ready: ReadyInfo): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify(ready, null, 2)}\n`);
}
