import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The user who runs the compositor. */
const USER = 'kiosk';

export interface KioskSessionOptions {
  /** The folder with the users' runtime folders. */
  runtimeFolders?: string;
  /** The file with the users. */
  passwd?: string;
}

/** How a program reaches the compositor. */
export interface SessionAccess {
  /** It runs as the compositor's user: no privileged process parses the compositor's answers. */
  user: { uid: number; gid: number };
  env: { XDG_RUNTIME_DIR: string; WAYLAND_DISPLAY: string };
}

/** The session of the user `kiosk`, in which the compositor runs. */
export class KioskSession {
  readonly #runtimeFolders: string;
  readonly #passwd: string;

  constructor({ runtimeFolders = '/run/user', passwd = '/etc/passwd' }: KioskSessionOptions = {}) {
    this.#runtimeFolders = runtimeFolders;
    this.#passwd = passwd;
  }

  /**
   * Looked up each time: the compositor may have restarted.
   * @throws Error when there is no compositor or no such user
   */
  async find(): Promise<SessionAccess> {
    const user = userOf(await readFile(this.#passwd, 'utf8'), USER);
    const folder = join(this.#runtimeFolders, String(user.uid));
    const display = (await readdir(folder)).find((name) => /^wayland-\d+$/.test(name));
    if (display === undefined) throw new Error(`there is no compositor in ${folder}`);
    return { user, env: { XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: display } };
  }
}

/** @throws Error when there is no such user */
function userOf(passwd: string, name: string): { uid: number; gid: number } {
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find(([user]) => user === name);
  if (!fields) throw new Error(`there is no user ${name}`);
  const [uid, gid] = [Number(fields[2] || Number.NaN), Number(fields[3] || Number.NaN)];
  if (!Number.isInteger(uid) || !Number.isInteger(gid))
    throw new Error(`the user ${name} has no numeric ids`);
  return { uid, gid };
}
