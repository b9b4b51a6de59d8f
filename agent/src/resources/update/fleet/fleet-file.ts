import * as Type from 'typebox';
import { JsonFile, whyUnusable } from '../../../base/json-file.ts';
import type { Logger } from '../../../base/logger.ts';
import { validator } from '../../../validation/validator.ts';
import { NOTHING_STORED, type Stored } from './fleet-state.ts';

const Text = Type.String({ maxLength: 1024 });

export const FleetFileContent = validator(
  Type.Object({
    server: Type.Optional(Text),
    action: Type.Optional(
      Type.Object({
        id: Text,
        reference: Text,
        version: Text,
        phase: Type.Enum(['waiting', 'installing', 'installed', 'applying']),
        applied: Type.Integer({ minimum: 0 }),
        lost: Type.Integer({ minimum: 0 }),
      }),
    ),
    result: Type.Optional(
      Type.Object({
        id: Text,
        version: Text,
        success: Type.Boolean(),
        message: Text,
        delivered: Type.Boolean(),
      }),
    ),
    cancelReply: Type.Optional(Type.Object({ id: Text, accepted: Type.Boolean(), message: Text })),
  }),
);

/** Raised only if an older version would misread the file. */
const SCHEMA = 1;

export interface LoadedFleetFile {
  /** Undefined if there is no file that can be used. */
  stored: Stored | undefined;
  /** Why the file cannot be used, as a sentence for health. */
  problem?: string;
}

/** What the fleet client has to know after a restart, in `hawkbit.json` of a folder. Contains no token. */
export class FleetFile {
  readonly #file: JsonFile;
  readonly #log: Pick<Logger, 'warn'>;

  constructor(folder: string, log: Pick<Logger, 'warn'>) {
    this.#file = new JsonFile(folder, 'hawkbit', SCHEMA, log);
    this.#log = log;
  }

  /** A file that cannot be used is set aside. Never fails. */
  async load(): Promise<LoadedFleetFile> {
    try {
      const content = (await this.#file.read())?.fields;
      if (!content) return { stored: undefined };
      if (!FleetFileContent.fits(content)) throw new Error('it has another form');
      return { stored: { ...NOTHING_STORED, ...content } };
    } catch (error) {
      const setAside = await this.#file.setAside(error);
      const problem = `The state of the fleet client cannot be used: ${whyUnusable(error)}.${setAside}`;
      this.#log.warn({}, problem);
      return { stored: undefined, problem };
    }
  }

  /** @throws Error of the system */
  async save(stored: Stored): Promise<void> {
    await this.#file.write(stored);
  }
}
