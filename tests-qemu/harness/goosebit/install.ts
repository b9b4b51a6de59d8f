import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, ROOT } from '../../../ci/lib/places.ts';
import { runTool } from '../../../ci/lib/tool.ts';

const HERE = join(ROOT, 'tests-qemu/harness/goosebit');
const REQUIREMENTS = join(HERE, 'requirements.txt');
const VERSION_TIMEOUT_MS = 20_000;
const INSTALL_TIMEOUT_MS = 5 * 60_000;

export type Installed = { python: string } | { missing: string };

/**
 * Installs gooseBit, an independent server of hawkBit's interface for devices, from PyPI into the cache: about 60
 * packages, 150 MB, each in the version and with the hash of requirements.txt. Later calls use what is there.
 * @returns its Python, or why it is not available here
 */
export async function installGooseBit(): Promise<Installed> {
  const version = await runTool('python3', ['--version'], VERSION_TIMEOUT_MS);
  if (!version.ok) return { missing: 'python3 is not installed' };
  const requirements = await readFile(REQUIREMENTS);
  const key = createHash('sha256').update(requirements).update(version.output).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(), 'goosebit', key);
  const python = join(folder, 'bin/python');
  if (existsSync(python)) return { python };
  const partial = `${folder}.${process.pid}`;
  try {
    await mkdir(join(cacheFolder(), 'goosebit'), { recursive: true });
    console.log(`Installing gooseBit into ${folder}`);
    const venv = await runTool('python3', ['-m', 'venv', partial], INSTALL_TIMEOUT_MS);
    if (!venv.ok) return { missing: `python3 makes no virtual environment: ${lastLine(venv.output)}` };
    const pip = ['-m', 'pip', 'install', '-q', '--require-hashes', '--no-deps', '-r', REQUIREMENTS];
    const packages = await runTool(join(partial, 'bin/python'), pip, INSTALL_TIMEOUT_MS);
    if (!packages.ok) return { missing: `pip cannot install gooseBit: ${lastLine(packages.output)}` };
    await rename(partial, folder).catch((error: unknown) => {
      if (!existsSync(python)) throw error; // else another process was faster
    });
    return { python };
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}
