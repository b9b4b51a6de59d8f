/** Updates the configuration of an output folder, and finds out which built packages a change affects. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFiles, hashOf } from '../image/lib/hash.ts';
import { CommandError, run } from '../image/lib/run.ts';
import { ROOT } from '../lib/places.ts';
import { Problem } from '../lib/problem.ts';

const CONFIGURE_TIMEOUT_MINUTES = 5;
/** Files that this program keeps in an output folder. Buildroot's `make clean` does not delete them. */
const CONFIGURED = '.vitrine-configured';
const SOURCES = '.vitrine-sources';

/** Symbols whose change needs a clean build (Buildroot manual, "Understanding when a full rebuild is necessary"). */
const FUNDAMENTAL =
  /^BR2_(ARCH|TOOLCHAIN|GCC|BINUTILS|GLIBC|KERNEL_HEADERS|PACKAGE_HOST_LINUX_HEADERS|ROOTFS_SKELETON|INIT_|ROOTFS_MERGED|OPTIMIZE|SSP_|RELRO_|FORTIFY|PIC_PIE|PER_PACKAGE|REPRODUCIBLE|LINUX_KERNEL_(?:VERSION|CUSTOM)|STATIC|SHARED|x86|aarch64|arm|cortex)/;

/** The settings of a `.config` file by name, without those that are off and without the external tree's version. */
export function settingsOf(config: string): Map<string, string> {
  return new Map(
    [...config.matchAll(/^(BR2_(?!EXTERNAL_)\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** The names of the settings that differ between two configurations, and whether a clean build is needed. */
export function compareSettings(before: string, after: string): { changed: string[]; clean: boolean } {
  const [old, now] = [settingsOf(before), settingsOf(after)];
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter(
    (name) => old.get(name) !== now.get(name),
  );
  const removed = changed.some((name) => /^BR2_PACKAGE_\w+$/.test(name) && !now.has(name));
  return { changed, clean: removed || changed.some((name) => FUNDAMENTAL.test(name)) };
}

/** A hash of the files that the configuration is made from. When it changes, the board is configured again. */
function configurationKey(tree: string, board: string): string {
  return hashOf(
    tree,
    readFileSync(join(tree, 'Makefile'), 'utf8'),
    hashFiles(ROOT, [
      ...['configs', 'configure', 'Config.in', 'external.desc'].map((name) => `buildroot-external/${name}`),
      ...recipes().map((name) => `buildroot-external/package/${name}/Config.in`),
      'board/common/render.sh',
      'overlay/usr/lib/sysusers.d',
      ...[board, 'common'].flatMap((folder) =>
        readdirSync(join(ROOT, 'board', folder))
          .filter((name) => name.endsWith('.env'))
          .map((name) => `board/${folder}/${name}`),
      ),
    ]),
  );
}

function recipes(): string[] {
  const folder = join(ROOT, 'buildroot-external/package');
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.includes('.')) : [];
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/**
 * Runs `buildroot-external/configure` when the output folder has no configuration or its sources have changed. Returns
 * whether it did.
 */
export async function configure(
  tree: string,
  board: string,
  output: string,
  env: Record<string, string>,
  say: (line: string) => void,
): Promise<boolean> {
  mkdirSync(output, { recursive: true });
  const key = configurationKey(tree, board);
  const [config, mark] = [join(output, '.config'), join(output, CONFIGURED)];
  if (existsSync(config) && read(mark) === key) return false;
  const before = read(config);
  rmSync(mark, { force: true });
  say(before ? 'the configuration has changed: configuring again' : `configuring ${board}`);
  try {
    await run(join(ROOT, 'buildroot-external/configure'), [tree, board, output], {
      env,
      timeoutMinutes: CONFIGURE_TIMEOUT_MINUTES,
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new Problem(`Buildroot could not be configured for ${board}:\n${error.output}`);
  }
  if (before) reportChange(compareSettings(before, read(config)), say);
  writeFileSync(mark, key);
  return true;
}

function reportChange(
  { changed, clean }: ReturnType<typeof compareSettings>,
  say: (line: string) => void,
): void {
  if (changed.length === 0) return;
  say(`${changed.length} settings differ: ${changed.slice(0, 8).join(' ')}${changed.length > 8 ? ' …' : ''}`);
  if (clean) {
    say(
      'note: Buildroot neither rebuilds nor removes packages for such a change; a clean build is advisable (--clean)',
    );
  }
}

/**
 * The paths of this project that a package of the external tree is built from: its recipe, and the paths in the line
 * `# inputs: path path…` of the recipe.
 */
function inputsOf(recipe: string): string[] {
  const text = read(join(ROOT, `buildroot-external/package/${recipe}/${recipe}.mk`));
  const named = /^# inputs:(.*)$/m.exec(text)?.[1]?.trim().split(/\s+/).filter(Boolean) ?? [];
  return [`buildroot-external/package/${recipe}`, ...named];
}

/** Hashes by package of the sources in this project. Buildroot itself does not notice when they change. */
function sourceHashes(): Map<string, string> {
  const shared = 'buildroot-external/external.mk';
  const hashes = new Map(recipes().map((name) => [name, hashFiles(ROOT, [shared, ...inputsOf(name)])]));
  for (const name of ['linux', 'uboot']) hashes.set(name, hashFiles(ROOT, [`board/common/patches/${name}`]));
  return hashes;
}

/**
 * The built packages (`isBuilt`) whose sources in this project have changed since. Call `remember` after they have been
 * removed. Packages of an output folder that was built by plain make are not reported, because no hashes are known.
 */
export function changedPackages(
  output: string,
  isBuilt: (name: string) => boolean,
): { changed: string[]; remember: () => void } {
  const mark = join(output, SOURCES);
  const known = new Map(
    read(mark)
      .split('\n')
      .map((line) => line.split(' '))
      .map(([name = '', hash = '']) => [name, hash]),
  );
  const now = sourceHashes();
  const changed = [...now.keys()].filter(
    (name) => existsSync(mark) && isBuilt(name) && known.get(name) !== now.get(name),
  );
  const lines = [...now].map((entry) => entry.join(' '));
  return { changed, remember: () => writeFileSync(mark, `${lines.join('\n')}\n`) };
}

/**
 * Removes build folders in which make was stopped while it applied patches. Buildroot cannot patch such a folder again
 * ("duplicate filename"), so the package has to be unpacked again. Returns the names.
 */
export function removeHalfPatched(output: string): string[] {
  const build = join(output, 'build');
  if (!existsSync(build)) return [];
  const half = readdirSync(build).filter(
    (name) =>
      existsSync(join(build, name, '.applied_patches_list')) &&
      !existsSync(join(build, name, '.stamp_patched')),
  );
  for (const name of half) rmSync(join(build, name), { recursive: true });
  return half;
}
