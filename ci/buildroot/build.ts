/**
 * Builds the image of a board with Buildroot: the pinned release, the configuration of the external tree, make. Packages
 * that are already built in the output folder are not rebuilt, even if the previous build was stopped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Cache } from '../image/lib/cache.ts';
import { existingKeyring, keepKey, keyFolder, projectVersion } from '../image/lib/inputs.ts';
import { CommandError, run, say } from '../image/lib/run.ts';
import { cacheFolder, ROOT, requireFreeSpace } from '../lib/places.ts';
import { Problem } from '../lib/problem.ts';
import { changedPackages, configure, removeHalfPatched } from './configuration.ts';
import { Display } from './display.ts';
import { explainMake } from './failure.ts';
import { setupBuildHost } from './host.ts';
import { buildEnvironment, runMake } from './make.ts';
import { BuildProgress, packagesOf, parseStep } from './progress.ts';
import { writeInventory } from './sbom.ts';
import { namedTree, pinnedTree, projectPin } from './source.ts';

/** Disk space for the sources, build folders and images of one board, in bytes. An estimate, not a measurement. */
const ROOM = 40 * 2 ** 30;
const ROOM_TO_CONTINUE = 5 * 2 ** 30;
const SHOW_INFO_TIMEOUT_MINUTES = 10;
const DOWNLOADED = '.vitrine-downloaded';

export interface BuildrootOptions {
  board: string;
  /** Output folder; default: a folder of the cache. */
  output?: string;
  /** A Buildroot tree to use instead of the pinned release. */
  tree?: string;
  /** Parallel jobs of make; default: Buildroot's own choice, the number of processors plus one. */
  jobs?: number;
  /** PEM file of the certificates that update bundles are checked with. */
  keyring?: string;
  /** Run `make clean` in the output folder first. */
  clean?: boolean;
  /** Write the SBOM instead of building. */
  sbom?: boolean;
  stop: AbortSignal;
}

/** The parameters of all steps. */
interface Work {
  options: BuildrootOptions;
  output: string;
  downloads: string;
  env: Record<string, string>;
}

/** Default folder for Buildroot's release, downloads, compiler cache and build folders. */
export function buildrootFolder(): string {
  return join(cacheFolder(), 'buildroot');
}

/** Builds the packages that are not built yet and returns the folder with disk.img (or with the SBOM). */
export async function buildWithBuildroot(options: BuildrootOptions): Promise<string> {
  const base = buildrootFolder();
  const output = options.output ?? join(base, options.board);
  await setupBuildHost(buildEnvironment(process.env).PATH ?? '');
  const isStarted = existsSync(join(output, 'build'));
  if (!options.sbom) await requireFreeSpace(output, isStarted ? ROOM_TO_CONTINUE : ROOM, 'the build');
  if (process.getuid?.() === 0) {
    say('note: Buildroot advises against building as root; an ordinary user is sufficient');
  }
  return await buildIn(output, base, options);
}

/**
 * Builds in a folder. The host's programs must be installed already.
 * @param base default folder for the release, the downloads and the compiler cache; BR2_DL_DIR and BR2_CCACHE_DIR
 * override it
 */
export async function buildIn(output: string, base: string, options: BuildrootOptions): Promise<string> {
  const downloads = process.env.BR2_DL_DIR || join(base, 'downloads');
  mkdirSync(downloads, { recursive: true });
  const env = {
    ...buildEnvironment(process.env),
    BR2_DL_DIR: downloads,
    BR2_CCACHE_DIR: process.env.BR2_CCACHE_DIR || join(base, 'ccache'),
    VITRINE_VERSION: process.env.VITRINE_VERSION || projectVersion(),
    VITRINE_KEYRING: await keyringFile(options.keyring),
    ...sourceDate(),
  };
  const work = { options, output, downloads, env };
  // The lock allows one build at a time in this folder.
  return await new Cache(output).exclusively(() => buildHere(work, base));
}

async function buildHere(work: Work, base: string): Promise<string> {
  const { options, output, env } = work;
  const pin = projectPin();
  const tree = options.tree
    ? namedTree(options.tree, pin, say)
    : await pinnedTree(join(base, 'source'), pin, say);
  const configured = await configure(tree, options.board, output, env, say);
  if (options.sbom) {
    const folder = join(output, 'sbom');
    const version = env.VITRINE_VERSION ?? '';
    await writeInventory({
      board: options.board,
      version,
      tree,
      showInfo: await showInfo(work),
      folder,
      env,
    });
    return folder;
  }
  if (options.clean) {
    say('removing what was built before');
    await doMake(work, 'clean.log', ['clean']);
  }
  for (const name of removeHalfPatched(output))
    say(`patching of ${name} was interrupted: unpacking it again`);

  const packages = packagesOf(await showInfo(work));
  const has = (folder: string, stamp: string): boolean => existsSync(join(output, folder, `.stamp_${stamp}`));
  await removeChanged(work, (name) => {
    const folder = packages.get(name);
    return folder !== undefined && (has(folder, 'extracted') || has(folder, 'rsynced'));
  });
  if (configured) rmSync(join(output, DOWNLOADED), { force: true });
  if (!existsSync(join(output, DOWNLOADED))) {
    await downloadSources(work, packages);
    writeFileSync(join(output, DOWNLOADED), '');
  }
  const progress = new BuildProgress({
    packages,
    isInstalled: (folder) => has(folder, 'installed'),
    cores: options.jobs ?? availableParallelism(),
  });
  say(`building in ${output}; the output of make goes to build.log there`);
  const display = new Display(progress);
  await doMake(work, 'build.log', [], (line) => display.line(line)).finally(() => display.end());
  say(`built: ${progress.text}`);
  return join(output, 'images');
}

/** Runs make with its output in a log in the output folder. Throws a {@link Problem} when it fails or is stopped. */
async function doMake(
  { options, output, downloads, env }: Work,
  logName: string,
  targets: string[],
  onLine: (line: string) => void = () => undefined,
): Promise<void> {
  const args = ['-C', output];
  if (options.jobs !== undefined) args.push(`BR2_JLEVEL=${options.jobs}`);
  // Packages can be built in parallel only when each has its own folders.
  if (/^BR2_PER_PACKAGE_DIRECTORIES=y$/m.test(readFileSync(join(output, '.config'), 'utf8'))) {
    args.push(`-j${options.jobs ?? availableParallelism()}`);
  }
  const log = join(output, logName);
  const result = await runMake({ args: [...args, ...targets], env, log, onLine, stop: options.stop });
  if (result.stopped) throw new Problem('stopped. Run the same command again to continue.');
  if (!result.ok) throw new Problem(explainMake(result.output, downloads, log));
}

async function showInfo({ output, env }: Work): Promise<string> {
  try {
    return await run('make', ['-s', '--no-print-directory', '-C', output, 'show-info'], {
      env,
      timeoutMinutes: SHOW_INFO_TIMEOUT_MINUTES,
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new Problem(`Buildroot could not read the configuration in ${output}:\n${error.output}`);
  }
}

/** Removes the packages whose sources in this project changed after they were built; make then rebuilds them. */
async function removeChanged(work: Work, isBuilt: (name: string) => boolean): Promise<void> {
  const { changed, remember } = changedPackages(work.output, isBuilt);
  if (changed.length > 0) {
    say(`changed since they were built: ${changed.join(' ')}`);
    const targets = changed.map((name) => `${name}-dirclean`);
    await doMake(work, 'clean.log', targets);
  }
  remember();
}

/** Downloads all sources first, so that an unreachable server is noticed at once and not hours into the build. */
async function downloadSources(work: Work, packages: Map<string, string>): Promise<void> {
  say(`downloading the sources of ${packages.size} packages to ${work.downloads} (existing files are kept)`);
  const onLine = (line: string): void => {
    const step = parseStep(line);
    if (step?.what === 'Downloading') say(`downloading ${step.name} ${step.version}`);
  };
  await doMake(work, 'download.log', ['source'], onLine);
}

/** The date of all files in the image: that of the last commit, so that builds of a commit are reproducible. */
function sourceDate(): Record<string, string> {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given) return { SOURCE_DATE_EPOCH: given };
  const args = ['-c', 'safe.directory=*', '-C', ROOT, 'log', '-1', '--format=%ct'];
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', timeout: 30_000 });
  // Not a git clone: Buildroot uses the date of its own release.
  return status === 0 ? { SOURCE_DATE_EPOCH: stdout.trim() } : {};
}

/** The named keyring, else the user's development keyring, which is created on first use. */
async function keyringFile(named: string | undefined): Promise<string> {
  const there = named ?? existingKeyring(keyFolder());
  if (there) {
    if (!existsSync(there)) throw new Problem(`there is no keyring ${there}.`);
    return resolve(there);
  }
  const work = mkdtempSync(join(tmpdir(), 'vitrine-key-'));
  try {
    await run(join(ROOT, 'ci/image/make-key.sh'), [work]);
    say(`made an update key pair for development in ${keyFolder()}`);
    return await keepKey(work, keyFolder());
  } finally {
    rmSync(work, { recursive: true });
  }
}
