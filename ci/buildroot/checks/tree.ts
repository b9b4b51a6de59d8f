/** Configures boards in a Buildroot checkout with this project's external tree and queries make. Compiles nothing. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, run } from '../../image/lib/run.ts';
import { ROOT } from '../../lib/places.ts';

export const EXTERNAL = join(ROOT, 'buildroot-external');
const TIMEOUT_MINUTES = 10;

/** An output folder of Buildroot for one board. */
export class Output {
  readonly folder: string;
  readonly #board: string;
  readonly #buildroot: string;

  constructor(buildroot: string, board: string, folder: string) {
    this.#buildroot = buildroot;
    this.#board = board;
    this.folder = folder;
  }

  /** @throws CommandError with the output of `configure` */
  async configure(): Promise<void> {
    const args = [this.#buildroot, this.#board, this.folder];
    await run(join(EXTERNAL, 'configure'), args, { timeoutMinutes: TIMEOUT_MINUTES });
  }

  read(name: string): Promise<string> {
    return readFile(join(this.folder, name), 'utf8');
  }

  /** @throws CommandError */
  make(...args: string[]): Promise<string> {
    return run('make', ['-s', '-C', this.folder, ...args], {
      timeoutMinutes: TIMEOUT_MINUTES,
      // The test may itself have been started by make.
      env: { MAKEFLAGS: '', MAKELEVEL: '' },
    });
  }

  /** Returns the minimal configuration (`savedefconfig`) and applies it to the output folder. */
  async roundTrip(): Promise<string> {
    const path = join(this.folder, 'shortest');
    await this.make('savedefconfig', `BR2_DEFCONFIG=${path}`);
    await this.make('defconfig', `BR2_DEFCONFIG=${path}`);
    return readFile(path, 'utf8');
  }
}

/** The problems that `work` returns; a failed command counts as a problem. */
export async function complaints(work: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandError) return error.message.split('\n');
    throw error;
  }
}
