import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { fits } from '../contract/validate.ts';
import type { Target, TargetStore } from '../resources/display/ports.ts';

const NAME = 'display.json';

const TargetShape = Type.Union([
  Type.Object({ mode: Type.Literal('waiting') }),
  Type.Object({ mode: Type.Literal('url'), url: Type.String() }),
  Type.Object({ mode: Type.Literal('bundle'), name: Type.String() }),
]);
/** Exported for the build, which compiles its validator. */
export const Remembered = Type.Object({ boot: Type.String(), target: TargetShape });

/**
 * Remembers what is shown: for a restart of the agent in the runtime folder, where it costs no write to the flash,
 * and, if wanted, over boots in the data folder. A file that is damaged counts as none.
 */
export class TargetFile implements TargetStore {
  readonly #runtime: string;
  readonly #data: string;
  readonly #bootId: string;
  #saving: Promise<void> | undefined;
  #next: { target: Target; lasting: boolean } | undefined;

  /** @param bootId names this boot; the runtime folder may outlive one */
  constructor(runtimeFolder: string, dataFolder: string, bootId: string) {
    this.#runtime = join(runtimeFolder, NAME);
    this.#data = join(dataFolder, NAME);
    this.#bootId = bootId;
  }

  async current(): Promise<Target | undefined> {
    const found = await this.#read(this.#runtime);
    return found?.boot === this.#bootId ? found.target : undefined;
  }

  async last(): Promise<Target | undefined> {
    return (await this.#read(this.#data))?.target;
  }

  /**
   * One write at a time; of targets that come meanwhile only the last is written.
   * @throws Error of the system when the last one could not be written; one before it matters to nobody any more
   */
  save(target: Target, lasting: boolean): Promise<void> {
    this.#next = { target, lasting };
    this.#saving ??= this.#write().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #write(): Promise<void> {
    let failure: { error: unknown } | undefined;
    for (let next = this.#next; next; next = this.#next) {
      this.#next = undefined;
      const text = `${JSON.stringify({ boot: this.#bootId, target: next.target })}\n`;
      try {
        await writeFileAtomic(this.#runtime, text, 0o600);
        if (next.lasting) await writeFileAtomic(this.#data, text, 0o600);
        failure = undefined;
      } catch (error) {
        failure = { error };
      }
    }
    if (failure) throw failure.error;
  }

  async #read(path: string) {
    try {
      const value: unknown = JSON.parse(await readFile(path, 'utf8'));
      return fits(Remembered, value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Names the running boot; empty where the kernel does not tell. */
export async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}
