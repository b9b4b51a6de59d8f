/** The programs that Buildroot needs on the build host, according to its manual. */
import { existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem } from '../lib/problem.ts';
import { installPackages } from '../setup.ts';

/** Programs, and the Debian packages that contain them. */
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
  // Buildroot requires this exact path.
  ['/usr/bin/file', 'file'],
  ['bc', 'bc'],
  ['find', 'findutils'],
  ['awk', 'mawk'],
  ['wget', 'wget'],
  ['git', 'git'],
  ['python3', 'python3'],
  // For the update key, and for stopping a build when this process ends.
  ['openssl', 'openssl'],
  ['setpriv', 'util-linux'],
  ['flock', 'util-linux'],
];

function isProgram(path: string): boolean {
  return existsSync(path) && statSync(path).isFile() && (statSync(path).mode & 0o111) !== 0;
}

/** The entries of {@link NEEDED} that are not found in the search path `path`. */
export function missingPrograms(path: string): [program: string, debianPackage: string][] {
  const folders = path.split(delimiter).filter(Boolean);
  return NEEDED.filter(([program]) =>
    program.startsWith('/')
      ? !isProgram(program)
      : !folders.some((folder) => isProgram(join(folder, program))),
  );
}

/** Installs missing programs with apt-get. Throws a {@link Problem} that lists them on a host without dpkg. */
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
