import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../../agent/src/base/system-error.ts';
import { Problem } from '../../lib/problem.ts';
import { APT_RETRY_OPTIONS } from '../../setup.ts';
import type { BrowserName, PackageConf } from './conf.ts';
import { findMirror } from './mirror.ts';
import { CommandError, run, say } from './run.ts';

const HOST_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * The downloaded packages: a separate apt in the package cache, with its own index and archives, so that the runtime and
 * the builder root are built from the same state of the mirror and a rebuild needs no network.
 */
export interface PackageStore {
  /** Folder of .deb files. */
  archives: string;
  /** Folder of the verified index files, which list only packages that are in `archives`. */
  lists: string;
  /** The line of sources.list that the index belongs to. */
  source: string;
  /** `Date:` of the index, in seconds since 1970. */
  indexDate: number;
  /** Hash of the signed index, which determines the version of every package. */
  id: string;
}

/** Whether this computer has the keys that Debian's packages are signed with. */
export function canVerifyPackages(): boolean {
  return existsSync(HOST_KEYRING);
}

/** The root file systems of an image's build, in the order in which their packages are downloaded. */
const ROOTS = ['builder', 'runtime'] as const;
export type RootName = (typeof ROOTS)[number];

export interface FetchOptions {
  /** Wraps the download, which is skipped when the packages are complete. */
  step: (work: () => Promise<void>) => Promise<void>;
  /** Also the packages of a browser that tests the web app. */
  browser?: BrowserName | undefined;
  /** Called when those of a root file system are there; they come first then. */
  onRoot?: ((root: RootName, store: PackageStore) => void) | undefined;
}

/** Downloads every package of the lists with its dependencies and verifies the signatures. Existing files are kept. */
export async function fetchPackages(
  conf: PackageConf,
  cache: string,
  { step, browser, onRoot }: FetchOptions,
): Promise<PackageStore> {
  const home = join(cache, `${conf.suite}-${conf.architecture}`);
  if (/["'\\\n]/.test(home)) {
    throw new Problem(
      `apt does not support a folder with quotes in its name: ${home}. Set VITRINE_CACHE to another one.`,
    );
  }
  mkdirSync(home, { recursive: true });
  const mirror = await findMirror(home);
  const apt = await prepareApt(home, conf, mirror, HOST_KEYRING);
  const index = join(home, 'index');
  const fetch = async (stamp: string, names: string[], single: string[] = []): Promise<void> => {
    const wanted = (): string => sha256([mirror, indexText(apt.lists), ...names, ...single].join(' '));
    const path = join(home, stamp);
    if (existsSync(path) && readFileSync(path, 'utf8') === wanted()) return;
    await step(async () => {
      const first: string[] = [];
      for (const root of onRoot ? ROOTS : []) {
        // With those before: apt chooses among alternatives as it does for all packages together.
        first.push(...conf[root]);
        await fetchAll(home, conf, mirror, apt, first, []);
        // In a folder of its own: the other index is replaced meanwhile.
        const reduced = join(home, `index-${root}`);
        reduceIndex(apt, reduced);
        onRoot?.(root, storeOf(apt, home, reduced));
      }
      await fetchAll(home, conf, mirror, apt, names, single);
    });
    reduceIndex(apt, index);
    writeFileSync(path, wanted());
  };
  if (browser) await fetch(`complete-${browser}`, conf[browser]);
  // The image's last: if the others need a newer index, its packages must be of that index, too.
  await fetch('complete', withDependencies(conf), singlePackages(conf));
  return storeOf(apt, home, index);
}

function storeOf({ lists, archives, source }: Apt, home: string, index: string): PackageStore {
  const text = indexText(lists);
  const date = /^Date: (.*)$/m.exec(text)?.[1];
  if (!date) throw new Problem(`the package index in ${lists} has no date; remove ${home} and try again.`);
  return { archives, lists: index, source, indexDate: Date.parse(date) / 1000, id: sha256(text) };
}

/** The packages that are downloaded with their dependencies. */
function withDependencies({ runtime, builder, viewer, emulator, sources }: PackageConf): string[] {
  return [...runtime, ...builder, ...viewer, ...emulator, ...sources];
}

/** The packages that are downloaded without their dependencies. */
function singlePackages({ firmware, extracted, radios }: PackageConf): string[] {
  return [...firmware, ...extracted.keys(), ...radios.keys()];
}

async function fetchAll(
  home: string,
  conf: PackageConf,
  mirror: string,
  known: Apt,
  names: string[],
  single: string[],
): Promise<void> {
  let apt = known;
  if (!indexFile(apt.lists)) apt = await updateIndex(home, conf, mirror);
  try {
    await download(apt, names, single);
  } catch (error) {
    say(`downloading with the cached index failed, updating the index: ${firstLine(error)}`);
    apt = await updateIndex(home, conf, mirror);
    await download(apt, names, single);
  }
}

/** Copies the index files to `folder`, but only the entries of downloaded packages: apt then takes seconds less per root. */
function reduceIndex({ lists, archives }: Apt, folder: string): void {
  const downloaded = new Set(readdirSync(archives).map((file) => file.split('_')[0]));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const name of readdirSync(lists).filter((file) => /_(InRelease|Packages)$/.test(file))) {
    const text = readFileSync(join(lists, name), 'utf8');
    const isWanted = (entry: string): boolean => downloaded.has(/^Package: (.*)$/m.exec(entry)?.[1] ?? '');
    const kept = name.endsWith('_Packages') ? text.split('\n\n').filter(isWanted).join('\n\n') : text;
    writeFileSync(join(folder, name), `${kept.trimEnd()}\n`);
  }
}

interface Apt {
  home: string;
  config: string;
  lists: string;
  archives: string;
  source: string;
}

async function prepareApt(home: string, conf: PackageConf, mirror: string, keyring: string): Promise<Apt> {
  for (const folder of ['etc/apt.conf.d', 'etc/preferences.d', 'etc/trusted.gpg.d', 'state', 'log']) {
    mkdirSync(join(home, folder), { recursive: true });
  }
  mkdirSync(join(home, 'state/lists/partial'), { recursive: true });
  mkdirSync(join(home, 'cache/archives/partial'), { recursive: true });
  const ownKeyring = join(home, 'keyring.gpg');
  const used = existsSync(ownKeyring) ? ownKeyring : keyring;
  const source = `deb [signed-by=${used}] ${mirror} ${conf.suite} ${conf.components.join(' ')}`;
  writeFileSync(join(home, 'etc/sources.list'), `${source}\n`);
  writeFileSync(join(home, 'status'), '');
  const config = join(home, 'apt.conf');
  writeFileSync(
    config,
    `Dir "${home}";
Dir::Etc "${home}/etc";
Dir::State "${home}/state";
Dir::State::status "${home}/status";
Dir::Cache "${home}/cache";
Dir::Log "${home}/log";
APT::Architecture "${conf.architecture}";
APT::Architectures { "${conf.architecture}"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
${Object.entries(APT_RETRY_OPTIONS)
  .map(([name, value]) => `Acquire::${name} "${value}";`)
  .join('\n')}
`,
  );
  return { home, config, lists: join(home, 'state/lists'), archives: join(home, 'cache/archives'), source };
}

async function updateIndex(home: string, conf: PackageConf, mirror: string): Promise<Apt> {
  if (!canVerifyPackages()) {
    throw new Problem('the Debian archive keys are missing: install the package debian-archive-keyring.');
  }
  const apt = await prepareApt(home, conf, mirror, HOST_KEYRING);
  say(`reading the index of Debian ${conf.suite}`);
  try {
    await updateOnce(apt);
    return apt;
  } catch (error) {
    const unknownKey =
      error instanceof CommandError && /NO_PUBKEY|not signed|missing key/i.test(error.output);
    if (!unknownKey) throw error;
  }
  await fetchNewerKeyring(home, conf, mirror);
  const again = await prepareApt(home, conf, mirror, HOST_KEYRING);
  await updateOnce(again);
  return again;
}

/** One `apt-get update`. If the only problem is an expired index, prints a warning and retries without that check. */
async function updateOnce(apt: Apt): Promise<void> {
  // By default a failed download is only a warning for apt; the option makes it an error.
  const update = ['update', '-o', 'APT::Update::Error-Mode=any'];
  const env = { APT_CONFIG: apt.config };
  try {
    await run('apt-get', update, { env });
  } catch (error) {
    const expired = error instanceof CommandError && /is expired \(invalid since/.test(error.output);
    if (!expired) throw error;
    say('WARNING: THE MIRROR’S PACKAGE INDEX IS PAST ITS RELEASE DATE (Valid-Until).');
    say('WARNING: using it anyway. Signatures are still checked; security updates may be missing.');
    await run('apt-get', [...update, '-o', 'Acquire::Check-Valid-Until=false'], { env });
  }
}

/**
 * For a suite that is signed by keys which this host does not know yet: downloads debian-archive-keyring from the stable
 * suite, whose signature the host's keyring can verify, and uses the keyring in that package.
 */
async function fetchNewerKeyring(home: string, conf: PackageConf, mirror: string): Promise<void> {
  say(`this host's keyring does not know the keys of ${conf.suite}: taking a newer one from stable`);
  const temporary = join(home, 'keyring');
  rmSync(temporary, { recursive: true, force: true });
  const apt = await prepareApt(temporary, { ...conf, suite: 'stable' }, mirror, HOST_KEYRING);
  await updateOnce(apt);
  await download(apt, [], ['debian-archive-keyring']);
  const deb = readdirSync(apt.archives).find((name) => name.startsWith('debian-archive-keyring_'));
  if (!deb) throw new Error('debian-archive-keyring could not be fetched from the stable suite');
  await run('dpkg-deb', ['-x', join(apt.archives, deb), join(temporary, 'x')]);
  await run('cp', ['-L', join(temporary, 'x', HOST_KEYRING), join(home, 'keyring.gpg')]);
  rmSync(temporary, { recursive: true, force: true });
}

async function download(apt: Apt, packages: string[], single: string[]): Promise<void> {
  const env = { APT_CONFIG: apt.config };
  if (packages.length > 0) {
    // Essential packages are not listed as dependencies.
    const essential = ['?essential', ...packages];
    const args = ['install', '--download-only', '--yes', ...essential];
    await run('apt-get', args, { env, timeoutMinutes: 120 });
  }
  if (single.length === 0) return;
  // Not among the others at once: a root file system may be made of those meanwhile.
  const folder = join(apt.home, 'single');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  await run('apt-get', ['download', ...single], { env, cwd: folder, timeoutMinutes: 60 });
  const files = readdirSync(folder);
  for (const file of files) renameSync(join(folder, file), join(apt.archives, file));
  rmSync(folder, { recursive: true });
  // The file of an older index would be found first.
  const isOld = (file: string): boolean =>
    single.some((name) => file.startsWith(`${name}_`)) && !files.includes(file);
  for (const file of readdirSync(apt.archives).filter(isOld)) rmSync(join(apt.archives, file));
}

function indexFile(lists: string): string | undefined {
  const name = readdirSync(lists).find((file) => /_InRelease$/.test(file));
  return name && join(lists, name);
}

/** The signed index; empty if there is none. */
function indexText(lists: string): string {
  const index = indexFile(lists);
  return index === undefined ? '' : readFileSync(index, 'utf8');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function firstLine(error: unknown): string {
  const text = errorMessage(error);
  return text.split('\n').find((line) => /^E:|Err:|404/.test(line)) ?? text.split('\n')[0] ?? '';
}
