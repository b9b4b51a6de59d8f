import { readFile } from 'node:fs/promises';
import { errorCode } from '../base/system-error.ts';

/** Parent folders of `page/` and `ui/`: next to the bundle on the device, two folders up in the source tree. */
const ROOTS = ['./', '../../'].map((path) => new URL(path, import.meta.url));

/**
 * Reads a file that ships with the agent.
 * @param name path below `agent/`, for example `ui/status/index.html`; a constant, never input
 * @throws Error when the file is missing: the installation is broken
 */
export async function asset(name: string): Promise<Buffer> {
  for (const root of ROOTS) {
    try {
      return await readFile(new URL(name, root));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  throw new Error(`the agent's file ${name} is missing`);
}
