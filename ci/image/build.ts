/**
 * Builds the virt image, or only the root file system of a slot, from Debian packages. Unchanged parts are taken from the
 * cache; see docs/image.md. As a script, `build.ts image|machine|rootfs`, it does the same and prints the folders of the
 * result: it runs itself that way in a user namespace.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cacheFolder, ROOT, requireFreeSpace } from '../lib/places.ts';
import { command, Problem } from '../lib/problem.ts';
import { Progress } from '../lib/progress.ts';
import { networkFailed } from '../setup.ts';
import { assembleImage, assembleRootfs, type ImageParts } from './lib/assembly.ts';
import { Cache } from './lib/cache.ts';
import { type BrowserName, readPackageConf } from './lib/conf.ts';
import { keyFolder, projectVersion } from './lib/inputs.ts';
import { canVerifyPackages, fetchPackages, type RootName } from './lib/packages.ts';
import { CommandError } from './lib/run.ts';
import {
  type Build,
  browserRoot,
  builderRoot,
  bundleAgent,
  compileParts,
  radioPrograms,
  runtimeRoot,
  unpackedRoot,
  updateKeyring,
} from './lib/stages.ts';

const BOARD = 'virt';
/** Peak disk space of a build from scratch, in bytes: packages, both roots, the assembly and its result. */
const ROOM = 7 * 2 ** 30;
/** Disk space for assembling the disk image, in bytes. */
export const ROOM_TO_ASSEMBLE = 3 * 2 ** 30;

const WANTED = ['image', 'machine', 'rootfs', 'radios', 'emulator', 'chromium', 'firefox'] as const;
type Wanted = (typeof WANTED)[number];

/** Result of a build. */
export interface Built {
  /** Folder with `rootfs.ext4` and `id`, which names the build; that of an image also has the files of the disk. */
  folder: string;
  /** Root file system with programs that look at a container's screen; empty if a whole image was asked for. */
  viewer: string;
}

export interface BuildOptions {
  /** Installs the packages of this computer. Before the first build, those of the image are downloaded meanwhile. */
  setup?: Promise<unknown> | undefined;
}

export interface MachineOptions extends BuildOptions {
  /**
   * Called with the image's kernel and the folder of {@link buildEmulator} while the disk is assembled, unless a child
   * process builds it.
   */
  onEmulator?: ((kernel: string, emulator: string) => void) | undefined;
}

/**
 * Builds the parts that are not in the cache and returns the folder with disk.img, u-boot.rom, rootfs.ext4 and vmlinuz.
 * Runs as root, or in a child process in a user namespace for other users where those are allowed.
 */
export async function buildImage(options: BuildOptions = {}): Promise<string> {
  return (await runBuild('image', options)).folder;
}

/** Like {@link buildImage}, and unpacks the QEMU that runs it meanwhile. */
export async function buildMachine(options: MachineOptions = {}): Promise<string> {
  return (await runBuild('machine', options)).folder;
}

/**
 * Like {@link buildImage}, but makes no disk if the image is not in the cache. The file system is the same. Builds what a
 * container needs besides it, too.
 */
export async function buildRootfs(options: BuildOptions = {}): Promise<Built> {
  return await runBuild('rootfs', options);
}

/**
 * The folder with the programs at the other end of emulated radios: `usr/sbin/hostapd`, `usr/sbin/iw` and `usr/bin/btvirt`, of
 * the same Debian suite as the image but not on it.
 */
export async function buildRadioPrograms(): Promise<string> {
  return (await runBuild('radios')).folder;
}

/** The folder with the unpacked QEMU of the image's Debian suite. */
export async function buildEmulator(): Promise<string> {
  return (await runBuild('emulator')).folder;
}

/** The folder with an unpacked browser for the tests of the web app, and its `fonts.conf`. */
export async function buildTestBrowser(name: BrowserName): Promise<string> {
  return (await runBuild(name)).folder;
}

async function runBuild(what: Wanted, { setup, onEmulator }: MachineOptions = {}): Promise<Built> {
  // It is waited for later.
  setup?.catch(() => undefined);
  const cache = new Cache(join(cacheFolder(), 'image'));
  const isFirst = !cache.hasAny('builder') && canVerifyPackages();
  if (process.getuid?.() === 0) {
    if (!isFirst) await setup;
    return await buildAsRoot(cache, what, { setup, onEmulator });
  }
  // What fails is repeated by the build, which says why.
  if (setup && isFirst) await Promise.allSettled([setup, cache.exclusively(() => beginBuild(cache))]);
  await setup;
  const printed = await asNamespaceRoot(fileURLToPath(import.meta.url), [what]);
  const [folder, viewer = ''] = printed?.trim().split('\n') ?? [];
  if (!folder) throw new Problem('the image could not be built; the lines above say why.');
  return { folder, viewer };
}

async function buildAsRoot(cache: Cache, what: Wanted, options: MachineOptions): Promise<Built> {
  const probe = spawnSync('unshare', ['--mount', 'true'], { encoding: 'utf8', timeout: 10_000 });
  if (probe.status !== 0) {
    throw new Problem(
      `the build needs a mount namespace, which this computer denies even to root (${(probe.stderr || 'no answer').trim()}).\n` +
        'In a container, start it with --privileged; or build outside the container.',
    );
  }
  process.umask(0o022);
  try {
    return await cache.exclusively(() => make(cache, what, options));
  } catch (error) {
    if (error instanceof CommandError) throw new Problem(explain(error));
    throw error;
  }
}

export interface BeginOptions {
  /** Also downloads the packages of a browser that tests the web app. */
  browser?: BrowserName | undefined;
  /** Called when the packages of a root file system are there; they come first then. */
  onRoot?: ((root: RootName, build: Build) => void) | undefined;
}

/** Prepares a build of the virt image: downloads the packages if necessary. */
export async function beginBuild(cache: Cache, { browser, onRoot }: BeginOptions = {}): Promise<Build> {
  const progress = new Progress();
  const conf = readPackageConf(join(ROOT, 'ci/image/packages.conf'));
  const packages = process.env.VITRINE_PACKAGE_CACHE || join(cacheFolder(), 'packages');
  mkdirSync(packages, { recursive: true });
  if (!cache.hasAny('builder')) await requireFreeSpace(cache.folder, ROOM, 'building the image from scratch');
  const step = (work: () => Promise<void>): Promise<void> => progress.step('fetching packages', work);
  const parts = { cache, conf, progress, board: BOARD, source: ROOT };
  const store = await fetchPackages(conf, packages, {
    ...{ step, browser },
    onRoot: onRoot && ((root, store) => onRoot(root, { ...parts, store })),
  });
  return { ...parts, store };
}

/** The root file systems of a build, which may still be in the making. */
type Roots = Record<RootName, Promise<string>>;

/**
 * Prepares a build while `setup` installs this computer's packages, which the download does not need. Makes the root file
 * systems while the rest is downloaded.
 */
async function beginBeside(cache: Cache, setup: Promise<unknown>): Promise<[Build, Partial<Roots>]> {
  const roots: Partial<Roots> = {};
  let index = '';
  const onRoot = (name: RootName, build: Build): void => {
    index ||= build.store.id;
    // If the index is newer than that of the other root file system, both are made again later.
    if (build.store.id !== index) return;
    roots.builder ??= setup.then(() => builderRoot(build));
    const { builder } = roots;
    if (name === 'runtime') roots.runtime = setup.then(() => runtimeRoot(build, builder, fetched));
    // They are waited for later.
    Promise.allSettled(Object.values(roots));
  };
  const fetched = beginBuild(cache, { onRoot });
  try {
    const build = await fetched;
    await setup;
    if (build.store.id === index) return [build, roots];
    await Promise.allSettled(Object.values(roots));
    return [build, {}];
  } catch (error) {
    // So that nothing continues in the background.
    await Promise.allSettled(Object.values(roots));
    throw error;
  }
}

async function make(cache: Cache, what: Wanted, { setup, onEmulator }: MachineOptions): Promise<Built> {
  await cache.sweep();
  const browser = what === 'chromium' || what === 'firefox' ? what : undefined;
  const [build, roots] = setup ? await beginBeside(cache, setup) : [await beginBuild(cache, { browser })];
  if (browser) return { folder: await browserRoot(build, browser), viewer: '' };
  if (what === 'radios') return { folder: await radioPrograms(build), viewer: '' };
  if (what === 'emulator') return { folder: await unpackedRoot(build, 'emulator'), viewer: '' };
  const parts = await imageParts(build, roots);
  await requireFreeSpace(cache.folder, ROOM_TO_ASSEMBLE, 'the disk image');
  if (what === 'image') return { folder: await assembleImage(build, parts), viewer: '' };
  if (what === 'machine') {
    // The disk is assembled by one processor.
    const emulator = unpackedRoot(build, 'emulator').then((root) =>
      onEmulator?.(join(parts.runtime, 'root/boot/vmlinuz'), root),
    );
    const image = assembleImage(build, parts);
    // Wait for both even if one fails, so that nothing continues in the background.
    await Promise.allSettled([emulator, image]);
    await emulator;
    return { folder: await image, viewer: '' };
  }
  const viewer = await unpackedRoot(build, 'viewer');
  return { folder: await assembleRootfs(build, parts), viewer };
}

/**
 * What an image is assembled from; parts that are not in the cache are built.
 * @param started root file systems whose making has begun
 */
export async function imageParts(build: Build, started: Partial<Roots> = {}): Promise<ImageParts> {
  const { progress } = build;
  const { builder = builderRoot(build), runtime: device = runtimeRoot(build, builder) } = started;
  const roots = [builder, device] as const;
  const contents = [builder.then((root) => compileParts(build, root)), bundleAgent(build)] as const;
  // Wait for all even if one fails, so that nothing continues in the background.
  const all = Promise.allSettled([...roots, ...contents]);
  await ifSlow(progress, 'installing packages into the root filesystems', Promise.allSettled(roots));
  await ifSlow(progress, 'compiling', Promise.allSettled([contents[0]]));
  await all;
  const [root, runtime] = await Promise.all(roots);
  const [parts, agent] = await Promise.all(contents);
  const keyring = await updateKeyring(build, root, keyFolder());
  return { builder: root, runtime, parts, agent, keyring, version: projectVersion() };
}

/** Reports a step only when it takes longer than a cache lookup. */
async function ifSlow<T>(progress: Progress, name: string, work: Promise<T>): Promise<T> {
  const done = work.then(
    () => true,
    () => true,
  );
  const quick = await Promise.race([done, sleep(300, false)]);
  return quick ? await work : await progress.step(name, () => work);
}

/** A sentence for failures that the project does not cause; for all others the command's output. */
export function explain(error: CommandError): string {
  if (/No space left on device|You don't have enough free space/.test(error.output)) {
    return `the disk is full: the image is built in ${cacheFolder()}. Free some space, or set VITRINE_CACHE to a folder on a larger disk.`;
  }
  if (networkFailed(error.output)) {
    return 'the Debian package mirror could not be reached, or a download was interrupted; check the network, or set VITRINE_MIRROR to another mirror.';
  }
  if (/Unable to locate package (\S+)/.test(error.output)) {
    return `the package mirror does not carry ${/Unable to locate package (\S+)/.exec(error.output)?.[1]}, which ci/image/packages.conf names.`;
  }
  return `the image could not be built: ${error.message}`;
}

/** Runs a script as root of a user namespace and returns its output; undefined when it failed. */
export async function asNamespaceRoot(script: string, args: string[]): Promise<string | undefined> {
  // A mount namespace as well: mmdebstrap may not mount in one that belongs to the host's root.
  const enter = ['--user', '--map-root-user', '--map-auto', '--mount', '--'];
  const probe = spawnSync('unshare', [...enter, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  if (probe.status !== 0) {
    throw new Problem(
      `the image is built as root or in a user namespace, which this computer denies to this user (${(probe.stderr || 'no answer').trim()}).\n` +
        'Either run this as root, or give the user a range of ids (/etc/subuid, /etc/subgid, the package uidmap) and allow ' +
        'unprivileged user namespaces (Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0).',
    );
  }
  // SIGKILL: unshare blocks SIGTERM while it waits for its child.
  const guard = ['--pdeathsig', 'KILL', '--', 'unshare', '--kill-child', '--fork', ...enter];
  const child = spawn('setpriv', [...guard, process.execPath, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code]: unknown[] = await once(child, 'close');
  return code === 0 ? printed : undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const { folder, viewer } = await runBuild(WANTED.find((what) => what === process.argv[2]) ?? 'image');
    console.log(`${folder}\n${viewer}`);
    return 0;
  });
}
