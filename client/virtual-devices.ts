/** The devices without hardware that `npm start` of the project runs on this computer. For Node. */
import { readFileSync } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  tty: string | null;
  /** Unix socket of QEMU's machine protocol; one client at a time. null in a container. */
  qmp: string | null;
  /** VNC server on the loopback, `127.0.0.1:5900`; null when the screen is a window. */
  vnc: string | null;
  /** Address at which a page on the device reaches this computer's loopback. */
  host_address: string;
  /** The process that owns the machine: SIGTERM powers it down, and it ends with the machine. */
  pid: number;
}

/** The process that runs a machine, as the file `owner.json` in the machine's folder has it. */
export interface Owner {
  pid: number;
  /** Start time of the process: distinguishes it from a later one with the same id. */
  born: string;
  /** As in {@link ReadyInfo}. It does not answer yet while the machine starts. */
  api: string;
}

/** This user's folder with a folder for each running machine. A socket's path has at most 107 bytes, so it is short. */
export function machinesFolder(): string {
  return join(tmpdir().length < 40 ? tmpdir() : '/tmp', `vitrine-${process.getuid?.() ?? 0}`);
}

/** Start time of a process, in the kernel's clock ticks; undefined when the process does not exist. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in parentheses, may hold spaces; the start time is field 22.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : fields[18];
  } catch {
    return undefined;
  }
}

/** The process that owns the machine of a folder; undefined when it is not running. */
export async function ownerOf(folder: string): Promise<Owner | undefined> {
  const text = await readFile(join(folder, 'owner.json'), 'utf8').catch(() => '');
  let owner: unknown;
  try {
    owner = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isOwner(owner) && startTimeOf(owner.pid) === owner.born ? owner : undefined;
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false;
  if (!('pid' in value) || !('born' in value) || !('api' in value)) return false;
  const isPid = typeof value.pid === 'number' && Number.isInteger(value.pid) && value.pid > 0;
  return isPid && typeof value.born === 'string' && typeof value.api === 'string';
}

/** The origins of the machines that this user runs, for `connect`. One that starts does not answer yet. */
export async function virtualDevices(): Promise<string[]> {
  const folder = machinesFolder();
  // Everybody may create a folder of this name.
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return [];
  const names = await readdir(folder).catch(() => []);
  const owners = await Promise.all(names.sort().map((name) => ownerOf(join(folder, name))));
  return owners.flatMap((owner) => (owner && URL.canParse(owner.api) ? [new URL(owner.api).origin] : []));
}
