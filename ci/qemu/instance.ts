import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeFileAtomic } from '../../agent/src/base/atomic-file.ts';
import { type Owner, ownerOf, type ReadyInfo, startTimeOf } from '../../client/virtual-devices.ts';
import { DEFAULT_NAME } from '../lib/arguments.ts';
import { runtimeFolder } from '../lib/places.ts';
import { Problem } from '../lib/problem.ts';
import type { VirtualDevice } from '../lib/virtual-device.ts';

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
  const owner: Owner = { pid: process.pid, born: startTimeOf(process.pid) ?? '', api };
  await file.writeFile(JSON.stringify(owner));
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
