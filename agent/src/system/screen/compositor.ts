import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Compositor, Output, OutputSettings } from '../../resources/display/ports.ts';
import { runOk } from '../processes.ts';
import {
  type CompositorOutput,
  CompositorOutputs,
  modeArguments,
  outputOf,
  transformOf,
  withRate,
} from './compositor-outputs.ts';

/** The user who runs the compositor. */
const USER = 'kiosk';
const TIMEOUT_MS = 10_000;

export interface WaylandCompositorOptions {
  /** The program that speaks wlr-output-management. */
  command?: string;
  /** The folder with the users' runtime folders. */
  runtimeFolders?: string;
  /** The file with the users. */
  passwd?: string;
}

/** The compositor of the user `kiosk`, driven with wlr-randr. */
export class WaylandCompositor implements Compositor {
  readonly #command: string;
  readonly #runtimeFolders: string;
  readonly #passwd: string;

  constructor({
    command = 'wlr-randr',
    runtimeFolders = '/run/user',
    passwd = '/etc/passwd',
  }: WaylandCompositorOptions = {}) {
    this.#command = command;
    this.#runtimeFolders = runtimeFolders;
    this.#passwd = passwd;
  }

  async outputs(): Promise<Output[]> {
    return (await this.#list()).map(outputOf);
  }

  async drive(output: string, settings: OutputSettings, others: readonly string[]): Promise<void> {
    const { rotation, scale, mode } = settings;
    const off = others.flatMap((other) => ['--output', other, '--off']);
    const found = (await this.#list()).find(({ name }) => name === output);
    const args = ['--output', output, '--on', '--transform', transformOf(rotation), '--scale', String(scale)];
    await this.#run([...args, ...(found ? modeArguments(found, mode) : []), ...off]);
  }

  async #list(): Promise<CompositorOutput[]> {
    const printed: unknown = JSON.parse(await this.#run(['--json']));
    if (!CompositorOutputs.fits(printed)) throw new Error(`${this.#command} printed no outputs`);
    return printed.map(withRate);
  }

  /** Runs as the compositor's user: no privileged process parses the compositor's answers. */
  async #run(args: readonly string[]): Promise<string> {
    const user = userOf(await readFile(this.#passwd, 'utf8'), USER);
    const folder = join(this.#runtimeFolders, String(user.uid));
    // Looked up each time: the compositor may have restarted.
    const display = (await readdir(folder)).find((name) => /^wayland-\d+$/.test(name));
    if (display === undefined) throw new Error(`there is no compositor in ${folder}`);
    return await runOk(this.#command, args, {
      timeoutMs: TIMEOUT_MS,
      env: { XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: display },
      user,
    });
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
