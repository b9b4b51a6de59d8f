import { readFile } from 'node:fs/promises';
import { errorCode } from '../base/system-error.ts';

/**
 * Where `page/`, `ui/` and `docs/` are: beside the bundle on the device; from source in `agent/` and the project, and what
 * was built in `agent/dist/`.
 */
const ROOTS = ['./', '../../', '../../../', '../../dist/'].map((path) => new URL(path, import.meta.url));

/**
 * Reads a file that ships with the agent.
 * @param name for example `page/waiting.html` or `docs/openapi.yaml`; a constant of the code, never input
 * @throws Error when no layout has the file: the installation is broken
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
