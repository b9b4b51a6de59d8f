/**
 * The QEMU that runs the machines: that of the image's Debian suite, unpacked in the cache. It is the same on every computer,
 * and without KVM a boot takes about 30 % less processor time than in Debian 12's QEMU 7.2.
 */
import { execFile } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildEmulator } from '../image/build.ts';
import { Problem } from '../lib/problem.ts';

const run = promisify(execFile);
const VERSION_TIMEOUT_MS = 30_000;
const NAME = 'qemu-system-x86_64';

/**
 * Allocates what `malloc` returns in huge pages (glibc manual, "Memory Allocation Tunables"). Without KVM, QEMU looks in
 * large tables for many jumps of the guest: on a computer with a slow cache, a boot took 20 % less processor time.
 */
const HUGE_PAGES = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };

/** How a program is started. */
export interface Program {
  file: string;
  /** The first arguments. */
  args: string[];
  env: NodeJS.ProcessEnv;
}

export interface Qemu {
  /** For example `11.1.2`. */
  version: string;
  /** qemu-system-x86_64 */
  system: Program;
  /** qemu-img */
  image: Program;
}

/**
 * The programs in a root file system that is only unpacked. They run with its own loader and libraries, so that no library of
 * this computer matters.
 */
function unpacked(root: string): Omit<Qemu, 'version'> {
  const usr = join(root, 'usr');
  const libraries = join(usr, 'lib/x86_64-linux-gnu');
  const program = (name: string, args: string[] = []): Program => ({
    file: join(usr, 'lib64/ld-linux-x86-64.so.2'),
    args: ['--library-path', libraries, '--argv0', name, join(usr, 'bin', name), ...args],
    env: { ...process.env, ...HUGE_PAGES, QEMU_MODULE_DIR: join(libraries, 'qemu') },
  });
  // Without it the process would be named after the loader.
  const named = ['-name', `vitrine,process=${NAME}`];
  const data = ['share/qemu', 'share/seabios', 'lib/ipxe/qemu'].flatMap((folder) => [
    '-L',
    join(usr, folder),
  ]);
  return { system: program(NAME, [...named, ...data]), image: program('qemu-img') };
}

/** A program that is installed on this computer. */
export function installed(file: string): Program {
  return { file, args: [], env: { ...process.env, ...HUGE_PAGES } };
}

/** The version that a QEMU prints. Throws a {@link Problem} when it cannot be run. */
async function versionOf({ file, args, env }: Program): Promise<string> {
  const { stdout } = await run(file, [...args, '--version'], { env, timeout: VERSION_TIMEOUT_MS }).catch(
    (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'ENOENT' ? 'was not found' : `does not run (${error.message.split('\n')[0]})`;
      throw new Problem(`${NAME} ${why}.`);
    },
  );
  const version = /version (\d+\.\d+\S*)/.exec(stdout)?.[1];
  if (!version) throw new Problem(`${NAME} does not print its version (${stdout.trim().slice(0, 100)}).`);
  return version;
}

async function withVersion(programs: Omit<Qemu, 'version'>): Promise<Qemu> {
  return { ...programs, version: await versionOf(programs.system) };
}

let known: Promise<Qemu> | undefined;

/**
 * The QEMU of the image's Debian suite, which is downloaded and unpacked first if necessary.
 * @param folder of {@link buildEmulator}, if it is known
 */
export function ensureQemu(folder?: string): Promise<Qemu> {
  known ??= (folder === undefined ? buildEmulator() : Promise.resolve(folder)).then((root) => {
    // The cache does not remove folders with open files.
    openSync(join(root, 'usr/bin', NAME), 'r');
    return withVersion(unpacked(root));
  });
  return known;
}

/** This computer's own QEMU, for a machine with a window: the unpacked one has no graphical user interface. */
export async function qemuWithWindow(): Promise<Qemu> {
  return await withVersion({ system: installed(NAME), image: installed('qemu-img') });
}
