import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeFileAtomic } from '../../base/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import { CONFIG_SCHEMA } from './schema.ts';
import { isObject, type JsonObject, mergePatch } from './tree.ts';

/** Passphrases are in it. */
const FILE_MODE = 0o600;
/** Far more than any document that this program writes; a larger file counts as damaged. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Number of damaged files kept beside the configuration; the oldest is removed first. */
const KEPT_DAMAGED = 3;

const NAME = 'config.json';
const KEPT = /^config\.v([1-9]\d*)\.json$/;
const DAMAGED = /^config\.damaged-.*\.json$/;
const keptName = (schema: number) => `config.v${schema}.json`;

/** The version of the document's shape that this agent writes, and the migrations from older ones. */
export interface ConfigFormat {
  schema: number;
  /** By the number of the older schema: turns its document into one of the next schema. */
  migrations: Readonly<Record<number, (document: JsonObject) => JsonObject>>;
}

const CURRENT_FORMAT: ConfigFormat = { schema: CONFIG_SCHEMA, migrations: {} };

/** A file as it was read. */
interface Stored {
  schema: number;
  text: string;
  /** Its fields, without `schema`, in the shape of the current schema. */
  document: JsonObject;
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
 * Reads and writes config.json and the files kept beside it. Only this code knows their names and versions. Reading
 * never fails: the device starts whatever the files contain (docs/contract.md: Configuration file).
 */
export class ConfigFile {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #format: ConfigFormat;
  /** The file of an older schema; it is kept for a rollback before the first write replaces it. */
  #older: Stored | undefined;

  constructor(folder: string, log: Logger, format: ConfigFormat = CURRENT_FORMAT) {
    this.#folder = folder;
    this.#log = log;
    this.#format = format;
  }

  /**
   * @returns the stored fields: of config.json or, if it is missing or cannot be used, of the newest kept file, or none;
   *   and why config.json cannot be used, as sentences for health
   */
  async load(): Promise<{ document: JsonObject; problem?: string }> {
    try {
      const stored = await this.#read(NAME);
      if (stored && stored.schema < this.#format.schema) this.#older = stored;
      return { document: stored?.document ?? (await this.#newestKept())?.document ?? {} };
    } catch (error) {
      const setAside = await this.#setAside(error);
      const kept = await this.#newestKept();
      const used = kept ? `The configuration in ${keptName(kept.schema)} is` : 'The defaults are';
      // A parser's message quotes the text, which contains passphrases.
      const why =
        error instanceof SyntaxError || !(error instanceof Error) ? 'it is not JSON' : error.message;
      const problem = `The configuration file cannot be used: ${why}.${setAside} ${used} used instead.`;
      this.#log.error(problem);
      return { document: kept?.document ?? {}, problem };
    }
  }

  /** Replaces the file. One of an older schema is kept for a rollback. */
  async write(document: JsonObject): Promise<void> {
    if (this.#older) {
      await writeFileAtomic(this.#path(keptName(this.#older.schema)), this.#older.text, FILE_MODE);
      this.#older = undefined;
    }
    const text = JSON.stringify({ schema: this.#format.schema, ...document }, undefined, 2);
    await writeFileAtomic(this.#path(NAME), `${text}\n`, FILE_MODE);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  /** Undefined if there is no such file. @throws Error if it cannot be used; the message ends a sentence */
  async #read(name: string): Promise<Stored | undefined> {
    const found = await stat(this.#path(name)).catch(() => undefined);
    if (!found) return undefined;
    if (!found.isFile() || found.size > MAX_BYTES)
      throw new Error('it is not a regular file of at most 8 MiB');
    const text = await readFile(this.#path(name), 'utf8');
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) throw new Error('it is not a JSON object');
    const { schema = 1, ...fields } = value;
    if (typeof schema !== 'number' || !Number.isSafeInteger(schema)) {
      throw new Error('its schema is not a version number');
    }
    const { schema: supported, migrations } = this.#format;
    if (schema > supported) throw new NewerSchemaError(schema, supported);
    // As in a patch, null stands for the default.
    let document = mergePatch({}, fields);
    for (let version = schema; version < supported; version++) {
      const migrate = migrations[version];
      if (!migrate) throw new Error(`there is no migration from schema ${version} to ${version + 1}`);
      document = migrate(document);
    }
    return { schema, text, document };
  }

  /** After a rollback: the newest kept file that this firmware supports. */
  async #newestKept(): Promise<Stored | undefined> {
    const schemas = (await this.#names()).map((name) => Number(KEPT.exec(name)?.[1] ?? 0));
    for (const schema of schemas.filter((each) => each > 0).sort((a, b) => b - a)) {
      try {
        return await this.#read(keptName(schema));
      } catch (error) {
        this.#log.warn({ err: error, schema }, 'a kept configuration cannot be used');
      }
    }
    return undefined;
  }

  /** Renames config.json. @returns a sentence with the new name; empty if that failed (a read-only disk) */
  async #setAside(reason: unknown): Promise<string> {
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, '');
    const isNewer = reason instanceof NewerSchemaError;
    const name = isNewer ? keptName(reason.schema) : `config.damaged-${stamp}.json`;
    try {
      await rename(this.#path(NAME), this.#path(name));
      await syncFolder(this.#folder);
      const damaged = (await this.#names()).filter((each) => DAMAGED.test(each)).sort();
      for (const old of damaged.slice(0, -KEPT_DAMAGED)) {
        await rm(this.#path(old), { recursive: true, force: true });
      }
      return ` It was kept as ${name}.`;
    } catch (error) {
      this.#log.warn({ err: error }, 'failed to set the configuration file aside');
      return '';
    }
  }

  async #names(): Promise<string[]> {
    return readdir(this.#folder).catch(() => []);
  }
}
