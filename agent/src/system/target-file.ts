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
export const Stored = Type.Object({ boot: Type.String(), target: TargetShape });

/**
 * Stores the display target: in the runtime folder for a restart of the agent, without a write to flash, and optionally
 * in the data folder for the next boot. A damaged file counts as missing.
 */
export class TargetFile implements TargetStore {
  readonly #runtime: string;
  readonly #data: string;
  readonly #bootId: string;
  #saving: Promise<void> | undefined;
  #next: { target: Target; lasting: boolean } | undefined;

  /** @param bootId identifies this boot; the runtime folder may be older */
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
   * Writes one target at a time; of those that come meanwhile only the last.
   * @throws Error of the system when the last one could not be written
   */
  save(target: Target, lasting: boolean): Promise<void> {
    this.#next = { target, lasting };
    this.#saving ??= this.#write().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #write(): Promise<void> {
    let failure: unknown;
    for (let next = this.#next; next; next = this.#next) {
      this.#next = undefined;
      const text = `${JSON.stringify({ boot: this.#bootId, target: next.target })}\n`;
      try {
        await writeFileAtomic(this.#runtime, text, 0o600);
        if (next.lasting) await writeFileAtomic(this.#data, text, 0o600);
        failure = undefined;
      } catch (error) {
        failure = error;
      }
    }
    if (failure !== undefined) throw failure;
  }

  async #read(path: string) {
    try {
      const value: unknown = JSON.parse(await readFile(path, 'utf8'));
      return fits(Stored, value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

/** The kernel's identifier of this boot; empty when it has none. */
export async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}
