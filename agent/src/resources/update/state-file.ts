import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { Mutex } from '../../base/mutex.ts';
import { Nullable } from '../../contract/shared.ts';
import { fits } from '../../contract/validate.ts';
import { UpdateResult } from './schema.ts';

const SlotName = Type.Enum(['a', 'b']);

/** What is remembered across boots. */
export const UpdateState = Type.Object({
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
});
export type UpdateState = Static<typeof UpdateState>;

const EMPTY: UpdateState = { operation: null, installed: null, intent: null, last_result: null };

/** The state in a file. Changes are on the disk when `change` resolves. */
export class StateFile {
  readonly #path: string;
  readonly #mutex = new Mutex();
  #state: UpdateState;

  private constructor(path: string, state: UpdateState) {
    this.#path = path;
    this.#state = state;
  }

  /** Reads the file; one that is missing or invalid counts as empty. */
  static async open(path: string): Promise<StateFile> {
    let state: unknown;
    try {
      state = JSON.parse(await readFile(path, 'utf8'));
    } catch {
      state = undefined;
    }
    return new StateFile(path, fits(UpdateState, state) ? state : EMPTY);
  }

  get current(): Readonly<UpdateState> {
    return this.#state;
  }

  /** @throws Error of the system; then nothing has changed */
  change(change: Partial<UpdateState>): Promise<void> {
    return this.#mutex.run(async () => {
      const next = { ...this.#state, ...change };
      await writeFileAtomic(this.#path, `${JSON.stringify(next)}\n`, 0o600);
      this.#state = next;
    });
  }
}
