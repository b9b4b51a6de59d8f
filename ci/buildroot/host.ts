/** What Buildroot expects of the computer that builds, as its manual lists it. */
import { existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem } from '../lib/problem.ts';
import { installPackages } from '../setup.ts';

/** Program to look for, and the Debian package that brings it. */
const NEEDED: [program: string, debianPackage: string][] = [
  ['which', 'debianutils'],
  ['sed', 'sed'],
  ['make', 'make'],
  ['ld', 'binutils'],
  ['gcc', 'gcc'],
  ['g++', 'g++'],
  ['bash', 'bash'],
  ['cmp', 'diffutils'],
  ['patch', 'patch'],
  ['gzip', 'gzip'],
  ['bzip2', 'bzip2'],
  ['xz', 'xz-utils'],
  ['perl', 'perl'],
  ['tar', 'tar'],
  ['cpio', 'cpio'],
  ['unzip', 'unzip'],
  ['rsync', 'rsync'],
  // Buildroot asks for this very path.
  ['/usr/bin/file', 'file'],
  ['bc', 'bc'],
  ['find', 'findutils'],
  ['awk', 'mawk'],
  ['wget', 'wget'],
  ['git', 'git'],
  ['python3', 'python3'],
  // The update key, and leaving a build with this process.
  ['openssl', 'openssl'],
  ['setpriv', 'util-linux'],
  ['flock', 'util-linux'],
];

function isProgram(path: string): boolean {
  return existsSync(path) && statSync(path).isFile() && (statSync(path).mode & 0o111) !== 0;
}

/** The entries of {@link NEEDED} that the search path `path` does not find. */
export function missingPrograms(path: string): [program: string, debianPackage: string][] {
  const folders = path.split(delimiter).filter(Boolean);
  return NEEDED.filter(([program]) =>
    program.startsWith('/')
      ? !isProgram(program)
      : !folders.some((folder) => isProgram(join(folder, program))),
  );
}

/** Installs what is missing where that is known how to do (dpkg, apt-get); else says what is missing. */
export async function setupBuildHost(path: string): Promise<void> {
  const missing = missingPrograms(path);
  if (missing.length === 0) return;
  if (!isProgram('/usr/bin/dpkg-query')) {
    throw new Problem(
      `Buildroot needs these programs on this computer, and they are missing: ${missing.map(([program]) => program).join(' ')}`,
    );
  }
  await installPackages([...new Set(missing.map(([, name]) => name))]);
  const left = missingPrograms(path);
  if (left.length > 0) {
    throw new Problem(
      `these programs are still missing after their packages were installed: ${left.map(([program]) => program).join(' ')}`,
    );
  }
}
