import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { writeFileAtomic } from '../../../base/atomic-file.ts';
import { errorCode } from '../../../base/system-error.ts';
import { fits } from '../../../contract/validate.ts';
import { NOTHING_STORED, type Stored } from './fleet-state.ts';

const Text = Type.String({ maxLength: 1024 });

export const FleetFileContent = Type.Object({
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
});

/** What the fleet client has to know after a restart. Contains no token. */
export class FleetFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** A missing or damaged file stores nothing; then the server offers again what is not done. */
  async load(): Promise<Stored> {
    let content: unknown;
    try {
      content = JSON.parse(await readFile(this.#path, 'utf8'));
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return NOTHING_STORED;
      throw error;
    }
    if (!fits(FleetFileContent, content)) return NOTHING_STORED;
    return { ...NOTHING_STORED, ...content };
  }

  async save(stored: Stored): Promise<void> {
    await writeFileAtomic(this.#path, `${JSON.stringify(stored)}\n`, 0o600);
  }
}
