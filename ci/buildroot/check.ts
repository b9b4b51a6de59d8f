/**
 * `npm run check:buildroot [-- BOARD…]`, a stage of `npm test`: checks that the external tree fits the Buildroot checkout
 * that BUILDROOT_DIR names. Nothing is downloaded or compiled. Without BUILDROOT_DIR it is skipped.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../image/lib/run.ts';
import { boardNames, namedBoards } from '../lib/board-names.ts';
import { ROOT } from '../lib/places.ts';
import { command } from '../lib/problem.ts';
import { close, FAILED, PASSED, SKIPPED, sum, type Tally } from '../lib/tally.ts';
import { projectFiles, runTool } from '../lib/tool.ts';
import { type Package, packagesOf, uncovered, unlisted } from './checks/packages.ts';
import { fragmentNames, lostSymbols, redundantSymbols, symbolsOf } from './checks/symbols.ts';
import { complaints, EXTERNAL, Output } from './checks/tree.ts';
import { namedTree, projectPin } from './source.ts';

const PYTHON_TIMEOUT_MS = 60_000;

/** Security-relevant values that every image must have, whether set by a fragment or by Buildroot's default. */
const REQUIRED = symbolsOf(`
BR2_DOWNLOAD_FORCE_CHECK_HASHES=y
BR2_REPRODUCIBLE=y
BR2_PIC_PIE=y
BR2_RELRO_FULL=y
BR2_SSP_STRONG=y
BR2_FORTIFY_SOURCE_3=y
BR2_PACKAGE_LIBSECCOMP=y
BR2_PACKAGE_VITRINE_WPEWEBKIT_SANDBOX=y
# BR2_TARGET_ENABLE_ROOT_LOGIN is not set
# BR2_TARGET_GENERIC_GETTY is not set
# BR2_TARGET_GENERIC_REMOUNT_ROOTFS_RW is not set
`);
/** Packages that let somebody log in or become root; no image may contain them. */
const FORBIDDEN = ['OPENSSH', 'DROPBEAR', 'SUDO', 'POLKIT', 'UTIL_LINUX_SU', 'UTIL_LINUX_LOGIN', 'RNG_TOOLS'];

type Print = (text: string) => void;

class Checks {
  readonly #print: Print;
  readonly #tallies: Tally[] = [];

  constructor(print: Print) {
    this.#print = print;
  }

  get tally(): Tally {
    return sum(this.#tallies);
  }

  /** Runs a check, which passes when it returns no problems. Returns whether it passed. */
  async check(name: string, work: () => Promise<readonly string[]>): Promise<boolean> {
    const wrong = await complaints(work);
    const ok = wrong.length === 0;
    this.#print(`${ok ? 'ok     ' : 'FAILED '} ${name}\n`);
    for (const line of wrong) this.#print(`          ${line}\n`);
    this.#tallies.push(ok ? PASSED : FAILED);
    return ok;
  }

  skip(name: string, why: string): void {
    this.#print(`skipped ${name}: ${why}\n`);
    this.#tallies.push(SKIPPED);
  }
}

/** The files that a board's configuration is merged from. */
async function filesOf(configuration: string): Promise<string[]> {
  const defconfig = join(EXTERNAL, `configs/${configuration}_defconfig`);
  return fragmentNames(await readFile(defconfig, 'utf8')).map((name) =>
    name === 'board' ? defconfig : join(EXTERNAL, `configs/fragments/${name}.config`),
  );
}

/** The lines of a configuration without comments, the path of the defconfig and the commit of the external tree. */
function effective(configuration: string): string[] {
  return configuration
    .split('\n')
    .filter((line) => /^BR2_(?!DEFCONFIG=|EXTERNAL_VITRINE_VERSION=)/.test(line));
}

/** The packages of this project: the folders in `package/`. */
function ownPackages(): Promise<string[]> {
  return readdir(join(EXTERNAL, 'package'));
}

/** Checks one board's configuration. Returns by file the symbols that have the same value without the file. */
async function checkBoard(
  checks: Checks,
  buildroot: string,
  output: Output,
  board: string,
): Promise<Map<string, string[]>> {
  const needless = new Map<string, string[]>();
  const configured = await checks.check(`${board}: configure`, async () => {
    await output.configure();
    return [];
  });
  if (!configured) return needless;
  const env = await readFile(join(ROOT, 'board', board, 'board.env'), 'utf8');
  const files = await filesOf(/^BUILDROOT_CONFIG=(\w+)$/m.exec(env)?.[1] ?? 'unknown');
  const before = await output.read('.config');

  await checks.check(`${board}: no symbol of the fragments is lost`, async () => {
    const lost = [];
    for (const file of files) {
      const wanted = symbolsOf(await readFile(file, 'utf8'));
      if (wanted.size === 0) lost.push(`${file} sets no symbol`);
      lost.push(...lostSymbols(wanted, before));
    }
    return [...lost, ...lostSymbols(symbolsOf(await output.read('vitrine/board.config')), before)];
  });
  await checks.check(`${board}: hardened, and without a login`, async () => {
    const on = symbolsOf(before);
    const found = FORBIDDEN.filter((name) => on.get(`BR2_PACKAGE_${name}`) === 'y');
    return [...lostSymbols(REQUIRED, before), ...found.map((name) => `${name} is in the image`)];
  });
  await checks.check(`${board}: savedefconfig and defconfig give the same configuration`, async () => {
    const shortest = await output.roundTrip();
    for (const file of files) {
      needless.set(file, redundantSymbols(symbolsOf(await readFile(file, 'utf8')), shortest));
    }
    const back = new Set(effective(await output.read('.config')));
    const lines = effective(before);
    const gone = lines.filter((line) => !back.has(line)).map((line) => `gone: ${line}`);
    return back.size === lines.length ? gone : [...gone, `${back.size} lines, not ${lines.length}`];
  });

  let packages = new Map<string, Package>();
  await checks.check(
    `${board}: every package of ours has a version, licenses and license files`,
    async () => {
      packages = packagesOf(await output.make('show-info'));
      return unlisted(packages, await ownPackages());
    },
  );
  if (packages.size > 0) {
    await checks.check(`${board}: a checksum for every download of ${packages.size} packages`, () =>
      uncovered(packages, buildroot, EXTERNAL),
    );
  }
  await checks.check(`${board}: this computer can build it`, async () => {
    await output.make('dependencies');
    return [];
  });
  return needless;
}

/** Runs Buildroot's style checker on the external tree and the patches that it applies. */
async function checkStyle(checks: Checks, buildroot: string): Promise<void> {
  const name = 'check-package';
  const modules = await runTool('python3', ['-c', 'import flake8, magic'], PYTHON_TIMEOUT_MS);
  if (!modules.ok) {
    checks.skip(name, 'it needs the Python modules flake8 and magic (Debian: python3-flake8, python3-magic)');
    return;
  }
  const files = (await projectFiles('buildroot-external', 'board/common/patches')).map((path) =>
    join(ROOT, path),
  );
  await checks.check(`${name} (${files.length} files)`, async () => {
    await run(join(buildroot, 'utils/check-package'), ['--br2-external', ...files]);
    return [];
  });
}

/** Checks that busybox knows every symbol of our fragment; its build would silently drop unknown ones. */
async function checkBusybox(checks: Checks, buildroot: string): Promise<void> {
  await checks.check('every symbol of busybox.config exists', async () => {
    const names = /CONFIG_\w+(?==| is not set)/g;
    const known = await readFile(join(buildroot, 'package/busybox/busybox.config'), 'utf8');
    const ours = (await readFile(join(ROOT, 'board/common/busybox.config'), 'utf8')).match(names) ?? [];
    if (ours.length === 0) return ['it sets no symbol'];
    const all = new Set(known.match(names));
    return ours.filter((name) => !all.has(name)).map((name) => `unknown: ${name}`);
  });
}

/** Runs all checks if BUILDROOT_DIR names a checkout; otherwise counts one skipped check. */
export async function checkBuildroot(print: Print, boards = boardNames()): Promise<Tally> {
  const checks = new Checks(print);
  const named = process.env.BUILDROOT_DIR;
  if (!named) {
    checks.skip('the external tree', 'BUILDROOT_DIR is not set');
    return checks.tally;
  }
  const buildroot = namedTree(named, projectPin(), (line) => print(`${line}\n`));
  // One folder for all boards, so that Kconfig's own program is compiled only once.
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-buildroot-'));
  try {
    await checkStyle(checks, buildroot);
    await checkBusybox(checks, buildroot);
    const needless = new Map<string, string[][]>();
    for (const board of boards) {
      const found = await checkBoard(checks, buildroot, new Output(buildroot, board, folder), board);
      for (const [file, names] of found) needless.set(file, [...(needless.get(file) ?? []), names]);
    }
    if (needless.size > 0) {
      await checks.check('no fragment sets a value that is the default', async () =>
        [...needless].flatMap(([file, [first = [], ...others]]) =>
          first
            .filter((name) => others.every((names) => names.includes(name)))
            .map((name) => `${relative(ROOT, file)}: ${name}`),
        ),
      );
    }
    return checks.tally;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const boards = namedBoards(process.argv.slice(2));
    return close(await checkBuildroot((text) => process.stdout.write(text), boards));
  });
}
