/**
 * The steps from packages to the parts of an image; assembly.ts assembles them. The result of each step is a folder of the
 * cache, named by the hash of its inputs, and a step is skipped when that folder exists. Only one process at a time may call
 * them (see Cache.exclusively).
 */
import {
  appendFileSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { buildAgent } from '../../build-agent.ts';
import { ROOT } from '../../lib/places.ts';
import { Problem } from '../../lib/problem.ts';
import type { Progress } from '../../lib/progress.ts';
import { runTool } from '../../lib/tool.ts';
import type { Cache } from './cache.ts';
import type { BrowserName, PackageConf } from './conf.ts';
import { hashFiles, hashOf } from './hash.ts';
import { existingKeyring, keepKey } from './inputs.ts';
import type { PackageStore } from './packages.ts';
import { makeRoot } from './roots.ts';
import { CommandError, run } from './run.ts';

/** How many results are kept: for 2, the current one and the previous one. */
const KEEP_ROOTS = 1;
const KEEP_PARTS = 2;
const PART_TIMEOUT_MINUTES = 20;
/** Niceness of what can wait for the root of the device's packages, which takes longest and mostly one processor. */
const COMPILE_NICE = 10;
const NPM_TIMEOUT_MS = 5 * 60_000;

export interface Build {
  cache: Cache;
  conf: PackageConf;
  store: PackageStore;
  progress: Progress;
  /** Folder of `board/`. */
  board: string;
  /** The folder that is mounted at /src: the project. */
  source: string;
}

export interface InBuilder {
  env?: Record<string, string>;
  /** Files and sockets of this computer by the name that they have in /tmp there. */
  files?: Record<string, string>;
  /** A folder of this computer that appears at `/out/${name}`, where the command may change it. The folder stays as it is. */
  change?: { name: string; folder: string };
}

/** Runs a command inside the builder root, with the project at /src and `out` at /out. Returns its output. */
export async function inBuilder(
  build: Build,
  builder: string,
  out: string,
  command: string[],
  { env = {}, files = {}, change }: InBuilder = {},
): Promise<string> {
  const mounted = Object.entries(files).flatMap(([name, path]) => ['--file', name, path]);
  if (change) mounted.push('--change', change.name, change.folder);
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return await run(
    join(ROOT, 'ci/image/in-builder'),
    [builder, build.source, out, ...mounted, 'env', ...assignments, ...command],
    {
      env: { SOURCE_DATE_EPOCH: String(build.store.indexDate) },
      timeoutMinutes: PART_TIMEOUT_MINUTES,
    },
  );
}

/** Libraries that nothing in the builder root loads, 310 MB, as the names of their files. */
const UNUSED_BY_BUILDER = [
  ...['libllvm[0-9]*', 'libz3-*', 'mesa-libgallium_*', 'libnode[0-9]*'],
  ...['lib[alt]san[0-9]_*', 'libhwasan[0-9]_*', 'libubsan[0-9]_*'],
];
/**
 * Files that nothing in the builder root reads, a third of them all: the names of the kernel's settings, of which the build
 * system keeps dates, headers of other processors and of device trees, and tablets that libinput knows.
 */
const FILES_UNUSED_BY_BUILDER = [
  'usr/src/linux-headers-*/include/config/[0-9A-Z]*',
  'usr/src/linux-headers-*/include/dt-bindings/*',
  ...['a*', 'l*', 'm*', 'p*', 'r*', 's*'].map((name) => `usr/src/linux-headers-*/arch/${name}`),
  'usr/share/libwacom/*',
];
/** What scripts of the packages would do in the builder root: links in usr/bin, and copied files. */
const BUILDER_LINKS = { awk: 'mawk', cc: 'gcc', 'c++': 'g++', which: 'which.debianutils' };
const BUILDER_COPIES = {
  'etc/passwd': 'usr/share/base-passwd/passwd.master',
  'etc/group': 'usr/share/base-passwd/group.master',
};

/**
 * The root filesystem in which everything is compiled and assembled. Its packages are unpacked only: to run their scripts
 * would take longer than to unpack them.
 */
export async function builderRoot(build: Build): Promise<string> {
  const packages = [...build.conf.builder, '?essential'];
  const key = hashOf(rootKey(build, packages), hashFiles(ROOT, ['ci/image/lib/stages.ts']));
  return await build.cache.make('builder', key, KEEP_ROOTS, async (target) => {
    const options = { packages, target, unpackOnly: true, nice: COMPILE_NICE };
    const without = { absent: UNUSED_BY_BUILDER, unused: FILES_UNUSED_BY_BUILDER };
    await makeRoot({ ...build, ...options, ...without, epoch: build.store.indexDate });
    for (const [name, program] of Object.entries(BUILDER_LINKS))
      symlinkSync(program, join(target, 'usr/bin', name));
    for (const [to, from] of Object.entries(BUILDER_COPIES))
      copyFileSync(join(target, from), join(target, to));
    for (const mountPoint of ['src', 'out']) mkdirSync(join(target, mountPoint));
  });
}

/**
 * Unpacked programs for this computer, which run with their own libraries: `viewer` looks at the screen of a container from
 * outside of the device's own system, `emulator` is QEMU.
 */
export async function unpackedRoot(build: Build, name: 'viewer' | 'emulator'): Promise<string> {
  const packages = build.conf[name];
  return await build.cache.make(name, rootKey(build, packages), KEEP_ROOTS, (target) =>
    makeRoot({ ...build, packages, target, unpackOnly: true, epoch: build.store.indexDate }),
  );
}

/** The loader of programs, in the root file system of a Debian. */
const LOADER = 'usr/lib64/ld-linux-x86-64.so.2';
const LIBRARIES = 'usr/lib/x86_64-linux-gnu';
/** Programs of the test browsers, in their root file systems. */
const BROWSER_PROGRAMS: Record<BrowserName, string[]> = {
  chromium: ['chromium-headless-shell', 'chrome_crashpad_handler'].map((name) => `usr/lib/chromium/${name}`),
  firefox: ['firefox-esr', 'crashhelper', 'glxtest', 'vaapitest'].map(
    (name) => `usr/lib/firefox-esr/${name}`,
  ),
};

/**
 * A browser for the tests of the web app, with the file `fonts.conf`. It starts itself again for each of its processes, so
 * the place of its loader is written into its programs.
 */
export async function browserRoot(build: Build, name: BrowserName): Promise<string> {
  const packages = build.conf[name];
  const key = hashOf(rootKey(build, packages), hashFiles(ROOT, ['ci/image/lib/stages.ts']));
  const place = build.cache.pathOf(name, key);
  return await build.cache.make(name, key, KEEP_ROOTS, async (target) => {
    await makeRoot({ ...build, packages, target, unpackOnly: true, epoch: build.store.indexDate });
    await run(join(target, LOADER), [
      ...['--library-path', join(target, LIBRARIES), join(target, 'usr/bin/patchelf')],
      ...['--set-interpreter', join(place, LOADER)],
      ...BROWSER_PROGRAMS[name].map((program) => join(target, program)),
    ]);
    writeFileSync(join(target, 'fonts.conf'), fontsConf(place));
  });
}

/** The fonts of the test browsers only, so that texts have the same width on every computer. */
function fontsConf(place: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${place}/usr/share/fonts</dir>
<cachedir prefix="xdg">fontconfig</cachedir>
<alias><family>monospace</family><prefer><family>Liberation Mono</family></prefer></alias>
<match><edit name="family" mode="append_last" binding="weak"><string>Liberation Sans</string></edit></match>
</fontconfig>
`;
}

/**
 * A root filesystem with the device's packages, without the files that the device does not need.
 * @param fetched wait for it before using packages that are not installed, while those are still downloaded
 */
export async function runtimeRoot(
  build: Build,
  builder: Promise<string>,
  fetched?: Promise<unknown>,
): Promise<string> {
  const { runtime, extracted } = build.conf;
  const key = hashOf(
    rootKey(build, runtime),
    JSON.stringify([...extracted]),
    hashFiles(ROOT, ['ci/image/trim.sh']),
  );
  return await build.cache.make('runtime', key, KEEP_ROOTS, async (target) => {
    const root = join(target, 'root');
    await makeRoot({ ...build, packages: runtime, target: root, epoch: build.store.indexDate });
    await fetched;
    for (const [name, files] of extracted) {
      const version = await extract(build, name, files, root);
      appendFileSync(join(root, 'usr/share/vitrine-packages.txt'), `${name} ${version}\n`);
    }
    await inBuilder(build, await builder, target, ['/src/ci/image/trim.sh', '/out/root']);
  });
}

/** A folder with the programs at the other end of emulated radios, below `usr/`. */
export async function radioPrograms(build: Build): Promise<string> {
  const { radios } = build.conf;
  const key = hashOf(build.store.id, JSON.stringify([...radios]));
  return await build.cache.make('radios', key, KEEP_ROOTS, async (target) => {
    for (const [name, files] of radios) await extract(build, name, files, target);
  });
}

/**
 * Copies single files of a package that is not installed, and returns its version. Throws when a pattern matches none of its
 * files.
 */
async function extract(build: Build, name: string, patterns: string[], root: string): Promise<string> {
  let version = '';
  await build.cache.scratch('extract', async (work) => {
    const deb = join(build.store.archives, archiveOf(build, name));
    await run('dpkg-deb', ['-x', deb, work]);
    const files: string[] = [];
    for (const pattern of patterns) {
      const found = globSync(pattern, { cwd: work });
      if (found.length === 0) throw new Problem(`the package ${name} has no file ${pattern}.`);
      files.push(...found.sort());
    }
    await run('cp', ['-a', '--parents', ...files, root], { cwd: work });
    version = (await run('dpkg-deb', ['--field', deb, 'Version'])).trim();
  });
  return version;
}

function rootKey({ store, conf }: Build, packages: string[]): string {
  return hashOf(
    store.id,
    conf.architecture,
    hashFiles(ROOT, ['ci/image/lib/roots.ts']),
    ...[...packages].sort(),
  );
}

/** The inputs of a part, from the line `# inputs: path path…` of its script. */
export function partInputs(script: string): string[] {
  const inputs = wordsOf(script, 'inputs');
  if (!inputs) throw new Problem('a script of ci/image/parts has no line "# inputs: …".');
  return inputs;
}

/** The words of the line `# NAME: word word…` of a script. */
function wordsOf(script: string, name: string): string[] | undefined {
  const line = new RegExp(`^# ${name}:(.*)$`, 'm').exec(script)?.[1];
  return line?.trim().split(/\s+/).filter(Boolean);
}

/** Downloaded package files by name: those that match the patterns of the line `# packages: pattern…` of a part's script. */
function partPackages({ store }: Build, script: string): Record<string, string> {
  const patterns = wordsOf(script, 'packages') ?? [];
  const names = patterns.flatMap((pattern) => globSync(`${pattern}.deb`, { cwd: store.archives }));
  return Object.fromEntries(names.map((name) => [name, join(store.archives, name)]));
}

/** Installs the npm packages of a folder, as the line `# npm: folder…` of a part's script says. Nothing of them is run. */
async function installPackages(folder: string): Promise<void> {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  const { ok, output } = await runTool('npm', ['ci', '--prefix', folder, ...options], NPM_TIMEOUT_MS);
  if (!ok) throw new Problem(`the npm packages of ${folder} could not be installed:\n${output}`);
}

/** The results of `ci/image/parts/*.sh`, one folder per script, to be copied into the root filesystem. */
export async function compileParts(build: Build, builder: string): Promise<Map<string, string>> {
  const names = readdirSync(join(ROOT, 'ci/image/parts')).filter((name) => name.endsWith('.sh'));
  const parts = names.sort().map(async (file): Promise<[string, string]> => {
    const name = basename(file, '.sh');
    const script = join('ci/image/parts', file);
    const text = readFileSync(join(ROOT, script), 'utf8');
    const inputs = partInputs(text);
    const key = hashOf(basename(builder), hashFiles(ROOT, ['ci/image/in-builder', script, ...inputs]));
    const folder = await build.cache.make(`part-${name}`, key, KEEP_PARTS, async (out) => {
      for (const folder of wordsOf(text, 'npm') ?? []) await installPackages(folder);
      try {
        const command = ['nice', '-n', String(COMPILE_NICE), `/src/${script}`];
        await inBuilder(build, builder, out, command, { files: partPackages(build, text) });
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        throw new Problem(`the part "${name}" of the image could not be made:\n${error.output}`);
      }
    });
    return [name, folder];
  });
  const settled = await Promise.allSettled(parts);
  const done = new Map<string, string>();
  for (const part of settled) {
    if (part.status === 'rejected') throw part.reason;
    done.set(...part.value);
  }
  return done;
}

/** What the bundle of the agent depends on; npm makes node_modules match the lock file. */
function bundleInputs(): string[] {
  const names = readdirSync(join(ROOT, 'agent')).filter((name) => !['dist', 'native-modules'].includes(name));
  const others = ['ci/build-agent.ts', 'ci/agent', 'ci/build-ui.ts', 'client', 'ui'];
  return ['package.json', 'package-lock.json', ...others, ...names.map((name) => join('agent', name))];
}

/**
 * The bundled agent, in a folder named by the hash of its content, so that a change of a comment makes no new image. The
 * name is kept by the hash of the inputs, since bundling takes a second or more.
 */
export async function bundleAgent(build: Build): Promise<string> {
  const { cache } = build;
  const inputs = hashFiles(ROOT, bundleInputs());
  const known = cache.find('bundle', inputs);
  const found = known && cache.find('agent', readFileSync(join(known, 'key'), 'utf8'));
  if (found) return found;
  let made = '';
  await cache.scratch('bundling', async (folder) => {
    const bundle = join(folder, 'agent');
    await buildAgent(bundle).catch(() => {
      throw new Problem('the agent could not be bundled; the lines above say why.');
    });
    const key = hashFiles(bundle, ['.']);
    made = await cache.make('agent', key, KEEP_PARTS, async (target) => {
      rmSync(target, { recursive: true });
      renameSync(bundle, target);
    });
    await cache.make('bundle', inputs, KEEP_PARTS, async (target) => writeFileSync(join(target, 'key'), key));
  });
  return made;
}

/** The file name of a package that was downloaded without its dependencies. */
export function archiveOf({ store }: Build, name: string): string {
  const file = readdirSync(store.archives).find((archive) => archive.startsWith(`${name}_`));
  if (!file) throw new Problem(`the package ${name} was not fetched.`);
  return file;
}

/** Unpacks the package u-boot-qemu: afterwards usr/lib/u-boot in `folder` contains U-Boot for QEMU's machines. */
export async function unpackFirmware(build: Build, folder: string): Promise<void> {
  await run('dpkg-deb', ['-x', join(build.store.archives, archiveOf(build, 'u-boot-qemu')), folder]);
}

/**
 * The certificate that verifies update bundles: the file that VITRINE_KEYRING names, else the user's own development
 * keyring, which is created on first use and kept in `folder`. Its private key signs development bundles and is never in
 * an image. The authority's key is deleted after it has signed `signing.pem`.
 */
export async function updateKeyring(build: Build, builder: string, folder: string): Promise<string> {
  const there = existingKeyring(folder);
  if (there) return there;
  let keyring = '';
  await build.cache.scratch('key', async (work) => {
    await inBuilder(build, builder, work, ['/src/ci/image/make-key.sh', '/out']);
    keyring = await keepKey(work, folder);
  });
  return keyring;
}
