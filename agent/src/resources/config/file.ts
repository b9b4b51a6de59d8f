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
const MAX_SCHEMA = 9999;

const NAME = 'config.json';
const keptName = (schema: number) => `config.v${schema}.json`;
const KEPT = /^config\.v([1-9]\d{0,3})\.json$/;
const DAMAGED = /^config\.damaged-.*\.json$/;

/** The version of the document's shape that this agent writes, and the migrations from older ones. */
export interface ConfigFormat {
  schema: number;
  /** By the number of the older schema: turns its document into one of the next schema. */
  migrations: Readonly<Record<number, (document: JsonObject) => JsonObject>>;
}

const CURRENT_FORMAT: ConfigFormat = { schema: CONFIG_SCHEMA, migrations: {} };

/** A configuration document as it is stored. */
interface Stored {
  schema: number;
  /** The file's text. */
  text: string;
  /** Its fields without `schema`. */
  document: JsonObject;
}

/**
 * Reads and writes config.json and the files kept beside it. Only this code knows their names and versions. Reading
 * never fails: the device starts whatever the files contain (docs/contract.md: Configuration file).
 */
export class ConfigFile {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #format: ConfigFormat;
  /** The file of an older schema as it was read; it is kept for a rollback before the first write replaces it. */
  #older: Stored | undefined;

  constructor(folder: string, log: Logger, format: ConfigFormat = CURRENT_FORMAT) {
    this.#folder = folder;
    this.#log = log;
    this.#format = format;
  }

  /**
   * @returns the fields that the file sets, none if it cannot be used and no kept file can; and why config.json is not
   *   used, as sentences for health
   */
  async load(): Promise<{ document: JsonObject; problem: string | undefined }> {
    let problem: string | undefined;
    try {
      const stored = await this.#read(NAME);
      if (stored && stored.schema <= this.#format.schema) {
        const document = this.#migrate(stored);
        if (stored.schema < this.#format.schema) this.#older = stored;
        return { document, problem };
      }
      if (stored) problem = await this.#setAsideNewer(stored.schema);
    } catch (error) {
      problem = await this.#setAsideDamaged(error);
    }
    const kept = await this.#newestKept();
    if (problem !== undefined) {
      problem += kept
        ? ` The configuration in ${kept.name} is used instead.`
        : ' The defaults are used instead.';
      this.#log.error(problem);
    }
    return { document: kept?.document ?? {}, problem };
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

  /** Undefined when there is no such file. @throws Error when the file is not a configuration document */
  async #read(name: string): Promise<Stored | undefined> {
    const found = await stat(this.#path(name)).catch(() => undefined);
    if (!found) return undefined;
    if (!found.isFile() || found.size > MAX_BYTES)
      throw new Error('it is not a regular file of at most 8 MiB');
    const text = await readFile(this.#path(name), 'utf8');
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) throw new Error('it is not a JSON object');
    const { schema = 1, ...fields } = value;
    if (typeof schema !== 'number' || !Number.isInteger(schema) || schema < 1 || schema > MAX_SCHEMA) {
      throw new Error('its schema is not a version number');
    }
    // As in a patch, null stands for the default.
    return { schema, text, document: mergePatch({}, fields) };
  }

  #migrate({ schema, document }: Stored): JsonObject {
    let migrated = document;
    for (let version = schema; version < this.#format.schema; version++) {
      const step = this.#format.migrations[version];
      if (!step) throw new Error(`there is no migration from schema ${version} to ${version + 1}`);
      migrated = step(migrated);
    }
    return migrated;
  }

  /** After a rollback: the newest kept document whose schema this firmware supports. */
  async #newestKept(): Promise<{ name: string; document: JsonObject } | undefined> {
    const schemas = (await this.#names())
      .map((name) => Number(KEPT.exec(name)?.[1] ?? 0))
      .filter((schema) => schema > 0 && schema <= this.#format.schema)
      .sort((a, b) => b - a);
    for (const name of schemas.map(keptName)) {
      try {
        const stored = await this.#read(name);
        if (stored && stored.schema <= this.#format.schema) return { name, document: this.#migrate(stored) };
      } catch (error) {
        this.#log.warn({ err: error, file: name }, 'kept configuration is damaged');
      }
    }
    return undefined;
  }

  async #setAsideNewer(schema: number): Promise<string> {
    const kept = await this.#setAside(keptName(schema));
    const supported = this.#format.schema;
    return `The stored configuration has schema ${schema}, but this firmware supports only schema ${supported}.${kept}`;
  }

  async #setAsideDamaged(error: unknown): Promise<string> {
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, '');
    const kept = await this.#setAside(`config.damaged-${stamp}.json`);
    const damaged = (await this.#names()).filter((name) => DAMAGED.test(name)).sort();
    for (const name of damaged.slice(0, -KEPT_DAMAGED)) await this.#remove(name);
    // The parser's message quotes the text, which contains passphrases.
    const why = error instanceof SyntaxError ? 'it is not JSON' : error instanceof Error ? error.message : '';
    return `The configuration file cannot be used: ${why}.${kept}`;
  }

  /** Renames config.json. @returns a sentence with the new name; empty when that failed (a read-only disk) */
  async #setAside(name: string): Promise<string> {
    try {
      await rename(this.#path(NAME), this.#path(name));
      await syncFolder(this.#folder);
      return ` It was kept as ${name}.`;
    } catch (error) {
      this.#log.warn({ err: error }, 'configuration could not be set aside');
      return '';
    }
  }

  async #remove(name: string): Promise<void> {
    await rm(this.#path(name), { recursive: true, force: true }).catch((error: unknown) => {
      this.#log.warn({ err: error, file: name }, 'file could not be removed');
    });
  }

  async #names(): Promise<string[]> {
    return readdir(this.#folder).catch(() => []);
  }
}
