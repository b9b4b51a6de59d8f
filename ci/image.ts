/**
 * `npm run image [-- --board BOARD]`: builds a board's image with the files for manufacturing and prints their folder.
 * virt is built from Debian packages in minutes (docs/image.md); Buildroot builds any board in hours (docs/buildroot.md).
 */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../agent/src/base/system-error.ts';
import { buildWithBuildroot } from './buildroot/build.ts';
import { projectPin, versionOfTree } from './buildroot/source.ts';
import { buildImage, ROOM_TO_ASSEMBLE } from './image/build.ts';
import { copyFactoryFiles, makeFactoryFiles } from './image/factory/files.ts';
import { readPackageConf } from './image/lib/conf.ts';
import { existingKeyring, keyFolder } from './image/lib/inputs.ts';
import { keyringWarning, requireReleaseKeyring } from './image/lib/keyring.ts';
import { say } from './image/lib/run.ts';
import { readArguments } from './lib/arguments.ts';
import { imageKind, PACKAGES_BOARD } from './lib/board-names.ts';
import { cacheFolder, ROOT, requireFreeSpace } from './lib/places.ts';
import { command, Problem } from './lib/problem.ts';
import { setupHost } from './setup.ts';

const OPTIONS = {
  board: { type: 'string', value: 'BOARD', help: `a folder of board/ (default: ${PACKAGES_BOARD})` },
  rootfs: {
    type: 'string',
    value: 'KIND',
    help: `packages or buildroot (default: packages for ${PACKAGES_BOARD}, else buildroot)`,
  },
  output: {
    type: 'string',
    value: 'DIR',
    help: 'folder for the files for manufacturing; Buildroot: its output folder (default: in the cache)',
  },
  buildroot: { type: 'string', value: 'DIR', help: 'Buildroot: use this checkout (or BUILDROOT_DIR)' },
  jobs: { type: 'string', value: 'N', help: 'Buildroot: number of parallel jobs of make' },
  keyring: { type: 'string', value: 'FILE', help: 'certificates that verify updates (or VITRINE_KEYRING)' },
  release: { type: 'boolean', help: 'for products: requires --keyring, and refuses a development keyring' },
  clean: { type: 'boolean', help: 'Buildroot: remove earlier build results, keep downloads' },
  sbom: { type: 'boolean', help: 'Buildroot: only write the SBOM (CycloneDX), build nothing' },
} as const;

/** What to build, and how. */
export interface ImageRequest {
  board: string;
  rootfs: 'packages' | 'buildroot';
  output?: string;
  tree?: string;
  jobs?: number;
  keyring?: string;
  release: boolean;
  clean: boolean;
  sbom: boolean;
}

/**
 * Parses the command line. Options that cannot be combined throw a {@link Problem}. Paths are relative to the folder in
 * which the user ran npm (`INIT_CWD`; npm itself changes to the project's folder).
 */
export function imageRequest(args: string[], env: NodeJS.ProcessEnv): ImageRequest {
  const { values, rest } = readArguments('npm run image -- [OPTIONS]', OPTIONS, args);
  if (rest.length > 0)
    throw new Problem(`unexpected argument "${rest.join(' ')}"; is "--board" missing before it?`);
  const { board, rootfs } = imageKind(values.board, values.rootfs);
  const path = (given: string | undefined): string | undefined =>
    given ? resolve(env.INIT_CWD ?? '.', given) : undefined;
  const buildrootOption = (['buildroot', 'jobs', 'clean', 'sbom'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (rootfs === 'packages' && buildrootOption) {
    throw new Problem(
      `--${buildrootOption} is for Buildroot: add --rootfs buildroot, or choose a board other than ${PACKAGES_BOARD}.`,
    );
  }
  if (values.jobs !== undefined && !/^[1-9]\d{0,3}$/.test(values.jobs)) {
    throw new Problem(`--jobs must be a number from 1 to 9999, not "${values.jobs}".`);
  }
  const { release = false, clean = false, sbom = false } = values;
  const request: ImageRequest = { board, rootfs, release, clean, sbom };
  const [output, tree, keyring] = [
    path(values.output),
    path(values.buildroot ?? env.BUILDROOT_DIR),
    path(values.keyring ?? env.VITRINE_KEYRING),
  ];
  if (release) {
    requireReleaseKeyring(keyring);
    if (env.VITRINE_VERSION) {
      throw new Problem('a release takes its version from package.json: VITRINE_VERSION must not be set.');
    }
  }
  if (output) request.output = output;
  if (tree) request.tree = tree;
  if (keyring) request.keyring = keyring;
  if (values.jobs) request.jobs = Number(values.jobs);
  return request;
}

async function fromPackages({ keyring, output, release }: ImageRequest): Promise<string> {
  // The child process in the user namespace and the cache key read this variable.
  if (keyring) process.env.VITRINE_KEYRING = keyring;
  await requireFreeSpace(cacheFolder(), ROOM_TO_ASSEMBLE, 'the image');
  const folder = await buildImage({ setup: setupHost('build') });
  const { suite } = readPackageConf(join(ROOT, 'ci/image/packages.conf'));
  const files = await makeFactoryFiles({ folder, release, rootfs: { kind: 'packages', suite } });
  if (output) await copyFactoryFiles(files, folder, output);
  return output ?? folder;
}

async function fromBuildroot(request: ImageRequest): Promise<string> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  // Fires when the parent process is gone, even after SIGKILL (see run.mjs).
  process.once('disconnect', () => stop.abort());
  // The open channel must not keep this process alive when its work is done.
  process.channel?.unref();
  const folder = await buildWithBuildroot({ ...request, stop: stop.signal });
  if (request.sbom) return folder;
  const sbom = await buildWithBuildroot({ ...request, clean: false, sbom: true, stop: stop.signal }).catch(
    (error: unknown) => {
      if (request.release) throw error;
      say(`WARNING: there is no SBOM: ${errorMessage(error)}`);
      return undefined;
    },
  );
  const version = (request.tree && versionOfTree(request.tree)) || projectPin().version;
  const { release } = request;
  await makeFactoryFiles({ folder, release, rootfs: { kind: 'buildroot', version, sbom } });
  return folder;
}

/** Builds an image and returns its folder; with `sbom`, the folder of the SBOMs. */
export async function makeImage(request: ImageRequest): Promise<string> {
  return await (request.rootfs === 'packages' ? fromPackages(request) : fromBuildroot(request));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const request = imageRequest(process.argv.slice(2), process.env);
    // Report an unreadable keyring now, not after hours of building.
    const namedWarning = request.keyring ? keyringWarning(request.keyring) : undefined;
    const folder = await makeImage(request);
    const userKeyring = request.keyring ? undefined : existingKeyring(keyFolder());
    const warning = userKeyring ? keyringWarning(userKeyring) : namedWarning;
    if (warning && !request.sbom) say(warning);
    console.log(folder);
    return 0;
  });
}
