import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeFileAtomic } from './atomic-file.ts';
import type { Logger } from './logger.ts';
import { readRegularFile } from './regular-file.ts';
import { errorMessage } from './system-error.ts';

/** Only the agent reads them: they may contain passphrases. */
const FILE_MODE = 0o600;
/** Far more than any document that this program writes; a larger file counts as damaged. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Number of damaged files kept beside the file; the oldest is removed first. */
const KEPT_DAMAGED = 3;

/** A file as it was read. */
export interface StoredJson {
  schema: number;
  text: string;
  /** Without `schema`. */
  fields: Record<string, unknown>;
}

/** The file has a schema that only newer firmware supports. */
class NewerSchemaError extends Error {
  readonly schema: number;

  constructor(schema: number, supported: number) {
    super(`it has schema ${schema}, but this firmware supports only schema ${supported}`);
    this.schema = schema;
  }
}

/**
 * A JSON object with the number of its schema in a file, and the files kept beside it: `NAME.v<N>.json` of another
 * schema, `NAME.damaged-<time>.json`. One that cannot be used is set aside, never overwritten (docs/api.md: Stored files).
 */
export class JsonFile {
  readonly #folder: string;
  readonly #name: string;
  readonly #schema: number;
  readonly #log: Pick<Logger, 'warn'>;

  /** @param name without `.json` @param schema the one that this firmware writes */
  constructor(folder: string, name: string, schema: number, log: Pick<Logger, 'warn'>) {
    this.#folder = folder;
    this.#name = name;
    this.#schema = schema;
    this.#log = log;
  }

  /**
   * @param schema reads the file that was kept with this schema
   * @returns undefined if there is no such file
   * @throws Error if it cannot be used, see `whyUnusable`
   */
  async read(schema?: number): Promise<StoredJson | undefined> {
    const path = this.#path(schema === undefined ? `${this.#name}.json` : this.keptName(schema));
    const text = (await readRegularFile(path, MAX_BYTES))?.toString('utf8');
    if (text === undefined) return undefined;
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Error('it is not a JSON object');
    }
    const { schema: found = 1, ...fields }: Record<string, unknown> = { ...value };
    if (typeof found !== 'number' || !Number.isSafeInteger(found)) {
      throw new Error('its schema is not a version number');
    }
    if (found > this.#schema) throw new NewerSchemaError(found, this.#schema);
    return { schema: found, text, fields };
  }

  /** Replaces the file. @throws Error of the system */
  async write(fields: object): Promise<void> {
    const text = JSON.stringify({ schema: this.#schema, ...fields }, undefined, 2);
    await writeFileAtomic(this.#path(`${this.#name}.json`), `${text}\n`, FILE_MODE);
  }

  /** Keeps the text of another schema beside the file. @throws Error of the system */
  async keep({ schema, text }: StoredJson): Promise<void> {
    await writeFileAtomic(this.#path(this.keptName(schema)), text, FILE_MODE);
  }

  /** The schemas of the kept files, the newest first. */
  async keptSchemas(): Promise<number[]> {
    const kept = new RegExp(`^${this.#name}\\.v([1-9]\\d*)\\.json$`);
    const schemas = (await this.#names()).map((name) => Number(kept.exec(name)?.[1] ?? 0));
    return schemas.filter((each) => each > 0).sort((a, b) => b - a);
  }

  keptName(schema: number): string {
    return `${this.#name}.v${schema}.json`;
  }

  /** Renames the file. @returns a sentence with the new name; empty if that failed (a read-only disk) */
  async setAside(reason: unknown): Promise<string> {
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, '');
    const isNewer = reason instanceof NewerSchemaError;
    const name = isNewer ? this.keptName(reason.schema) : `${this.#name}.damaged-${stamp}.json`;
    try {
      await rename(this.#path(`${this.#name}.json`), this.#path(name));
      await syncFolder(this.#folder);
      const isDamaged = new RegExp(`^${this.#name}\\.damaged-.*\\.json$`);
      const damaged = (await this.#names()).filter((each) => isDamaged.test(each)).sort();
      for (const old of damaged.slice(0, -KEPT_DAMAGED)) {
        await rm(this.#path(old), { recursive: true, force: true });
      }
      return ` It was kept as ${name}.`;
    } catch (error) {
      this.#log.warn({ err: error, file: this.#name }, 'failed to set a file aside');
      return '';
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  async #names(): Promise<string[]> {
    return readdir(this.#folder).catch(() => []);
  }
}

/** Why a file cannot be used, as the end of a sentence. A parser's message quotes the text, which may be secret. */
export function whyUnusable(error: unknown): string {
  return error instanceof SyntaxError ? 'it is not JSON' : errorMessage(error);
}
