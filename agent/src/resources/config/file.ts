import { JsonFile, type StoredJson, whyUnusable } from '../../base/json-file.ts';
import type { Logger } from '../../base/logger.ts';
import { CONFIG_SCHEMA } from './schema.ts';
import { type JsonObject, mergePatch } from './tree.ts';

/** The version of the document's shape that this agent writes, and the migrations from older ones. */
export interface ConfigFormat {
  schema: number;
  /** By the number of the older schema: turns its document into one of the next schema. */
  migrations: Readonly<Record<number, (document: JsonObject) => JsonObject>>;
}

const CURRENT_FORMAT: ConfigFormat = { schema: CONFIG_SCHEMA, migrations: {} };

/** A file as it was read. */
interface Stored extends StoredJson {
  /** Its fields in the shape of the current schema. */
  document: JsonObject;
}

/**
 * Reads and writes config.json and the files kept beside it. Only this code knows their versions. Reading never fails:
 * the device starts whatever the files contain (docs/api.md: Stored files).
 */
export class ConfigFile {
  readonly #file: JsonFile;
  readonly #log: Logger;
  readonly #format: ConfigFormat;
  /** The file of an older schema; it is kept for a rollback before the first write replaces it. */
  #older: Stored | undefined;

  constructor(folder: string, log: Logger, format: ConfigFormat = CURRENT_FORMAT) {
    this.#file = new JsonFile(folder, 'config', format.schema, log);
    this.#log = log;
    this.#format = format;
  }

  /**
   * @returns the stored fields: of config.json or, if it is missing or cannot be used, of the newest kept file, or none;
   *   and why config.json cannot be used, as sentences for health
   */
  async load(): Promise<{ document: JsonObject; problem?: string }> {
    try {
      const stored = await this.#read();
      if (stored && stored.schema < this.#format.schema) this.#older = stored;
      return { document: stored?.document ?? (await this.#newestKept())?.document ?? {} };
    } catch (error) {
      const setAside = await this.#file.setAside(error);
      const kept = await this.#newestKept();
      const used = kept ? `The configuration in ${this.#file.keptName(kept.schema)} is` : 'The defaults are';
      const problem = `The configuration file cannot be used: ${whyUnusable(error)}.${setAside} ${used} used instead.`;
      this.#log.error(problem);
      return { document: kept?.document ?? {}, problem };
    }
  }

  /** Replaces the file. One of an older schema is kept for a rollback. */
  async write(document: JsonObject): Promise<void> {
    if (this.#older) {
      await this.#file.keep(this.#older);
      this.#older = undefined;
    }
    await this.#file.write(document);
  }

  /** Undefined if there is no such file. @throws Error if it cannot be used */
  async #read(keptSchema?: number): Promise<Stored | undefined> {
    const stored = await this.#file.read(keptSchema);
    if (!stored) return undefined;
    const { schema: supported, migrations } = this.#format;
    // As in a patch, null stands for the default.
    let document = mergePatch({}, stored.fields);
    for (let version = stored.schema; version < supported; version++) {
      const migrate = migrations[version];
      if (!migrate) throw new Error(`there is no migration from schema ${version} to ${version + 1}`);
      document = migrate(document);
    }
    return { ...stored, document };
  }

  /** After a rollback: the newest kept file that this firmware supports. */
  async #newestKept(): Promise<Stored | undefined> {
    for (const schema of await this.#file.keptSchemas()) {
      try {
        return await this.#read(schema);
      } catch (error) {
        this.#log.warn({ err: error, schema }, 'a kept configuration cannot be used');
      }
    }
    return undefined;
  }
}
