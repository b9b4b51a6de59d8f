import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './places.ts';
import { Problem } from './problem.ts';
import { runTool } from './tool.ts';

const VERSION_TIMEOUT_MS = 20_000;
const INSTALL_TIMEOUT_MS = 5 * 60_000;
/** Without a network pip gives up after about a minute. */
const PIP_OPTIONS = '-q --disable-pip-version-check --no-input --retries 2 --timeout 15'.split(' ');

/** A Python program from PyPI that tests use. */
export interface PythonProgram {
  /** Its folder in the cache. */
  folder: string;
  /** As messages name it. */
  name: string;
  /** Size of everything that is installed. */
  size: string;
  /** Path of requirements.txt, with a hash for each package. */
  requirements: string;
}

/** What {@link installPython} returns: the Python that has the packages, or why PyPI does not give them. */
export type InstalledPython = { python: string } | { unavailable: string };

/**
 * Installs packages from PyPI into the cache, each in the version and with the hash of requirements.txt, as binary packages
 * only. Later calls use what is there. Needs `python3` with `venv` (Debian: python3-venv).
 * @returns a reason if PyPI cannot be reached: a network without it must not fail everything
 * @throws Problem that says why they cannot be installed
 */
export async function installPython(program: PythonProgram): Promise<InstalledPython> {
  const version = await runTool(
    'python3',
    ['-c', 'import ensurepip, sys, venv; print(sys.version)'],
    VERSION_TIMEOUT_MS,
  );
  if (!version.ok)
    throw new Problem(`${program.name} needs python3 with venv (Debian: apt-get install python3-venv).`);
  const requirements = await readFile(program.requirements);
  const key = createHash('sha256').update(requirements).update(version.output).digest('hex').slice(0, 16);
  const all = join(cacheFolder(), program.folder);
  const folder = join(all, key);
  const python = join(folder, 'bin/python');
  if (existsSync(python)) return { python };
  const partial = `${folder}.${process.pid}`;
  try {
    await mkdir(all, { recursive: true });
    for (const name of await readdir(all)) {
      if (!name.startsWith(key)) await rm(join(all, name), { recursive: true, force: true });
    }
    console.log(
      `Installing ${program.name} and the packages that it needs, ${program.size} from PyPI, into ${folder}`,
    );
    const venv = await runTool('python3', ['-m', 'venv', partial], INSTALL_TIMEOUT_MS);
    if (!venv.ok) throw new Problem(`python3 makes no virtual environment: ${lastLine(venv.output)}`);
    const from = ['--require-hashes', '--no-deps', '--only-binary', ':all:', '-r', program.requirements];
    const pip = ['-m', 'pip', 'install', ...PIP_OPTIONS, ...from];
    const packages = await runTool(join(partial, 'bin/python'), pip, INSTALL_TIMEOUT_MS);
    if (!packages.ok) {
      const unavailable = `${program.name} cannot be installed from PyPI; check the network: ${lastLine(packages.output)}`;
      console.log(unavailable);
      return { unavailable };
    }
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
