import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeFileAtomic } from '../../base/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import { CONFIG_SCHEMA } from './schema.ts';
import { isObject, type JsonObject } from './tree.ts';

/** Passphrases are in it. */
const FILE_MODE = 0o600;
/** Far more than any document that this program writes; a larger file counts as damaged. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Damaged files kept beside the configuration; the oldest goes first. */
const KEPT_DAMAGED = 3;
const MAX_SCHEMA = 9999;

const NAME = 'config.json';
const ofSchema = (schema: number) => `config.v${schema}.json`;
const OF_SCHEMA = /^config\.v([1-9]\d{0,3})\.json$/;
const DAMAGED = /^config\.damaged-.*\.json$/;

/** The version of the document's shape that this agent writes, and the migrations from older ones. */
export interface ConfigFormat {
  schema: number;
  /** By the number of the older schema: turns its document into one of the next schema. */
  migrations: Readonly<Record<number, (document: JsonObject) => JsonObject>>;
}

export const CURRENT_FORMAT: ConfigFormat = { schema: CONFIG_SCHEMA, migrations: {} };

/** Why stored values are not used; for the log and for health. */
export interface ConfigProblem {
  code: 'config_damaged' | 'config_newer' | 'config_values_dropped';
  message: string;
  /** Name of the file beside config.json that keeps the unused document. */
  kept: string | null;
}

export interface Loaded {
  /** The fields that the file sets, without `schema`; empty when the file cannot be used. */
  document: JsonObject;
  problem: ConfigProblem | undefined;
}

interface Parsed {
  schema: number;
  text: string;
  document: JsonObject;
}

/**
 * Reads and writes config.json and the files kept beside it. Only this code knows their names and versions. Reading
 * never fails: the device starts whatever the file contains (docs/contract.md: Configuration file).
 */
export class ConfigFile {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #format: ConfigFormat;
  /** The file of an older schema as it was read; it is kept for a rollback before the first write replaces it. */
  #older: Parsed | undefined;

  constructor(folder: string, log: Logger, format: ConfigFormat = CURRENT_FORMAT) {
    this.#folder = folder;
    this.#log = log;
    this.#format = format;
  }

  async load(): Promise<Loaded> {
    let problem: ConfigProblem | undefined;
    let parsed: Parsed | undefined;
    try {
      parsed = await this.#read(NAME);
      if (parsed && parsed.schema <= this.#format.schema) {
        const document = this.#migrate(parsed);
        if (parsed.schema < this.#format.schema) this.#older = parsed;
        return { document, problem };
      }
      if (parsed) problem = await this.#setAsideNewer(parsed.schema);
    } catch (error) {
      problem = await this.#setAsideDamaged(error);
    }
    const earlier = await this.#earlier();
    if (problem) {
      const used = earlier ? `what schema ${earlier.schema} had is used` : 'defaults are used';
      problem.message += ` ${used[0]?.toUpperCase()}${used.slice(1)}.`;
      this.#log.error({ problem }, 'configuration not used');
    }
    return { document: earlier?.document ?? {}, problem };
  }

  /** Replaces the file. One of an older schema is kept for a rollback. */
  async write(document: JsonObject): Promise<void> {
    if (this.#older) {
      await writeFileAtomic(this.#path(ofSchema(this.#older.schema)), this.#older.text, FILE_MODE);
      this.#older = undefined;
    }
    const text = JSON.stringify({ schema: this.#format.schema, ...document }, undefined, 2);
    await writeFileAtomic(this.#path(NAME), `${text}\n`, FILE_MODE);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  /** Undefined when there is no such file. @throws Error when the file is not a configuration document */
  async #read(name: string): Promise<Parsed | undefined> {
    const found = await stat(this.#path(name)).catch(() => undefined);
    if (!found) return undefined;
    if (!found.isFile() || found.size > MAX_BYTES)
      throw new Error('it is not a regular file of at most 8 MiB');
    const text = await readFile(this.#path(name), 'utf8');
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) throw new Error('it is not a JSON object');
    const { schema = 1, ...document } = value;
    if (typeof schema !== 'number' || !Number.isInteger(schema) || schema < 1 || schema > MAX_SCHEMA) {
      throw new Error('its schema is not a version number');
    }
    return { schema, text, document };
  }

  #migrate({ schema, document }: Parsed): JsonObject {
    let migrated = document;
    for (let version = schema; version < this.#format.schema; version++) {
      const step = this.#format.migrations[version];
      if (!step) throw new Error(`there is no migration from schema ${version} to ${version + 1}`);
      migrated = step(migrated);
    }
    return migrated;
  }

  /** After a rollback: the newest kept document whose schema this agent knows. */
  async #earlier(): Promise<{ schema: number; document: JsonObject } | undefined> {
    const schemas = (await this.#names())
      .map((name) => Number(OF_SCHEMA.exec(name)?.[1] ?? 0))
      .filter((schema) => schema > 0 && schema <= this.#format.schema)
      .sort((a, b) => b - a);
    for (const schema of schemas) {
      try {
        const parsed = await this.#read(ofSchema(schema));
        if (parsed && parsed.schema <= this.#format.schema)
          return { schema, document: this.#migrate(parsed) };
      } catch (error) {
        this.#log.warn({ err: error, file: ofSchema(schema) }, 'kept configuration is damaged');
      }
    }
    return undefined;
  }

  async #setAsideNewer(schema: number): Promise<ConfigProblem> {
    const kept = await this.#setAside(ofSchema(schema));
    const message = `The configuration is of schema ${schema}, this firmware knows ${this.#format.schema}.`;
    return { code: 'config_newer', message, kept };
  }

  async #setAsideDamaged(error: unknown): Promise<ConfigProblem> {
    const stamp = new Date().toISOString().replaceAll(':', '').replaceAll('.', '');
    const kept = await this.#setAside(`config.damaged-${stamp}.json`);
    const damaged = (await this.#names()).filter((name) => DAMAGED.test(name)).sort();
    for (const name of damaged.slice(0, Math.max(0, damaged.length - KEPT_DAMAGED))) await this.#remove(name);
    // The parser's message quotes the text, which contains passphrases.
    const why = error instanceof SyntaxError ? 'it is not JSON' : error instanceof Error ? error.message : '';
    return { code: 'config_damaged', message: `The configuration file cannot be used: ${why}.`, kept };
  }

  /** Renames config.json. @returns the new name, or null when that failed (a read-only disk) */
  async #setAside(name: string): Promise<string | null> {
    try {
      await rename(this.#path(NAME), this.#path(name));
      await syncFolder(this.#folder);
      return name;
    } catch (error) {
      this.#log.warn({ err: error }, 'configuration could not be set aside');
      return null;
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
