import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Type from 'typebox';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { JsonFile, whyUnusable } from '../base/json-file.ts';
import type { Logger } from '../base/logger.ts';
import { readRegularFile } from '../base/regular-file.ts';
import type { Target, TargetStore } from '../resources/display/ports.ts';
import { validator } from '../validation/validator.ts';

const NAME = 'display';
/** Raised only if an older version would misread the file. */
const SCHEMA = 1;
/** Largest file in the runtime folder, in bytes: a URL has a few kilobytes. */
const MAX_BYTES = 1024 * 1024;

const TargetShape = Type.Union([
  Type.Object({ mode: Type.Literal('waiting') }),
  Type.Object({ mode: Type.Literal('url'), url: Type.String() }),
  Type.Object({ mode: Type.Literal('bundle'), name: Type.String() }),
]);
/** Exported for the build, which compiles its validator. */
export const Stored = validator(Type.Object({ boot: Type.String(), target: TargetShape }));

/**
 * Stores the display target: in the runtime folder for a restart of the agent, without a write to flash, and optionally
 * in the data folder for the next boot. A damaged file counts as missing; the one in the data folder is set aside and
 * reported.
 */
export class TargetFile implements TargetStore {
  readonly #runtime: string;
  readonly #data: JsonFile;
  readonly #bootId: string;
  #problem: string | undefined;
  #saving: Promise<void> | undefined;
  #next: { target: Target; lasting: boolean } | undefined;

  /** @param bootId identifies this boot; the runtime folder may be older */
  constructor(runtimeFolder: string, dataFolder: string, bootId: string, log: Pick<Logger, 'warn'>) {
    this.#runtime = join(runtimeFolder, `${NAME}.json`);
    this.#data = new JsonFile(dataFolder, NAME, SCHEMA, log);
    this.#bootId = bootId;
  }

  async current(): Promise<Target | undefined> {
    try {
      const text = await readRegularFile(this.#runtime, MAX_BYTES);
      const value: unknown = JSON.parse(text?.toString('utf8') ?? 'null');
      return Stored.fits(value) && value.boot === this.#bootId ? value.target : undefined;
    } catch {
      return undefined;
    }
  }

  async last(): Promise<Target | undefined> {
    try {
      const fields = (await this.#data.read())?.fields;
      if (fields && !Stored.fits(fields)) throw new Error('it has another form');
      return fields?.target;
    } catch (error) {
      const setAside = await this.#data.setAside(error);
      this.#problem = `What was last shown cannot be read: ${whyUnusable(error)}.${setAside}`;
      return undefined;
    }
  }

  problems(): string[] {
    return this.#problem === undefined ? [] : [this.#problem];
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
      const stored = { boot: this.#bootId, target: next.target };
      try {
        await writeFileAtomic(this.#runtime, `${JSON.stringify(stored)}\n`, 0o600);
        if (next.lasting) await this.#data.write(stored);
        failure = undefined;
      } catch (error) {
        failure = error;
      }
    }
    if (failure !== undefined) throw failure;
  }
}

/** The kernel's identifier of this boot; empty when it has none. */
export async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}
