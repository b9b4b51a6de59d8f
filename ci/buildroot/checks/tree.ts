/** A Buildroot checkout with this project's external tree: configuring a board and asking make, nothing is compiled. */
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

  /** @throws CommandError with what `configure` said */
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
      // Whatever started this may be a make of its own.
      env: { MAKEFLAGS: '', MAKELEVEL: '' },
    });
  }

  /** The shortest configuration of the same effect; afterwards the configuration is what that one says. */
  async roundTrip(): Promise<string> {
    const path = join(this.folder, 'shortest');
    await this.make('savedefconfig', `BR2_DEFCONFIG=${path}`);
    await this.make('defconfig', `BR2_DEFCONFIG=${path}`);
    return readFile(path, 'utf8');
  }
}

/** What went wrong, in lines; nothing when `work` has no complaint. */
export async function complaints(work: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandError) return error.message.split('\n');
    throw error;
  }
}
