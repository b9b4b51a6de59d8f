import * as Type from 'typebox';
import { JsonFile, whyUnusable } from '../../base/json-file.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { errorMessage } from '../../base/system-error.ts';
import { Nullable } from '../../contract/shared.ts';
import { type Valid, validator } from '../../validation/validator.ts';
import { UpdateResult } from './schema.ts';

const SlotName = Type.Enum(['a', 'b']);

/** What is remembered across boots. */
export const UpdateState = validator(
  Type.Object({
    /** The installation that runs; an agent that finds it at its start continues or ends it. */
    operation: Nullable(
      Type.Object({
        id: Type.String(),
        reference: Nullable(Type.String()),
        /** Finished installations of the slot before this one; null while the bundle is received. */
        earlier: Nullable(Type.Integer()),
      }),
    ),
    /** The last finished installation, by its number in the slot, until the slot was tried. */
    installed: Nullable(Type.Object({ installations: Type.Integer(), reference: Nullable(Type.String()) })),
    /** The slot that `apply` has activated, until it is known how that ended. */
    intent: Nullable(
      Type.Object({
        slot: SlotName,
        version: Nullable(Type.String()),
        /** Activations of the slot before. */
        activations: Type.Integer(),
        /** The service has said that the slot is activated. */
        activated: Type.Boolean(),
        /** The kernel's id of the boot in which it was applied. */
        boot: Type.String(),
        reference: Nullable(Type.String()),
      }),
    ),
    last_result: Nullable(UpdateResult),
  }),
);
export type UpdateState = Valid<typeof UpdateState>;

/** Raised only if an older version would misread the file. */
const SCHEMA = 1;
const EMPTY: UpdateState = { operation: null, installed: null, intent: null, last_result: null };

/** The state in a file. Changes are on the disk when `change` resolves. */
export class StateFile {
  readonly #file: JsonFile;
  readonly #mutex = new Mutex();
  #state: UpdateState;
  /** Why the file could not be used, as a sentence for health. */
  readonly problem: string | undefined;
  /** Whether there was no file that can be used: what it said may be known from elsewhere. */
  readonly isLost: boolean;

  private constructor(file: JsonFile, state: UpdateState | undefined, problem?: string) {
    this.#file = file;
    this.#state = state ?? EMPTY;
    this.isLost = state === undefined;
    this.problem = problem;
  }

  /** Reads `state.json` of a folder. One that cannot be used is set aside and reported. Never fails. */
  static async open(folder: string, log: Pick<Logger, 'warn' | 'error'>): Promise<StateFile> {
    const file = new JsonFile(folder, 'state', SCHEMA, log);
    try {
      const fields = (await file.read())?.fields;
      if (fields && !UpdateState.fits(fields)) throw new Error('it has another form');
      return new StateFile(file, fields);
    } catch (error) {
      const setAside = await file.setAside(error);
      const problem = `The state of updates cannot be used: ${whyUnusable(error)}.${setAside} An update that was installed and not applied has to be installed again.`;
      log.error(problem);
      return new StateFile(file, undefined, problem);
    }
  }

  get current(): Readonly<UpdateState> {
    return this.#state;
  }

  /** @throws Error of the system; then nothing has changed */
  change(change: Partial<UpdateState>): Promise<void> {
    return this.#mutex.run(async () => {
      const next = { ...this.#state, ...change };
      await this.#file.write(next);
      this.#state = next;
    });
  }

  /** Takes over what is known from elsewhere, also if it cannot be stored. @returns why it is not stored */
  async recover(known: Partial<UpdateState>): Promise<string | undefined> {
    this.#state = { ...this.#state, ...known };
    return await this.change({}).then(() => undefined, errorMessage);
  }
}
