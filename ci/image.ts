/**
 * `npm run image [-- --board BOARD]`: makes a board's image and prints its folder. Of virt from Debian packages, in
 * minutes (docs/image.md); of any board by Buildroot, in hours (docs/buildroot.md).
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWithBuildroot } from './buildroot/build.ts';
import { buildImage, ROOM_TO_ASSEMBLE } from './image/build.ts';
import { existingKeyring, keyFolder } from './image/lib/inputs.ts';
import { keyringWarning, requireReleaseKeyring } from './image/lib/keyring.ts';
import { say } from './image/lib/run.ts';
import { readArguments } from './lib/arguments.ts';
import { boardNames } from './lib/board-names.ts';
import { cacheFolder, needRoom } from './lib/places.ts';
import { command, Problem } from './lib/problem.ts';
import { setupHost } from './setup.ts';

/** The board whose root filesystem can come from packages. */
const PACKAGES_BOARD = 'virt';

const OPTIONS = {
  board: { type: 'string', value: 'BOARD', help: `a folder of board/; ${PACKAGES_BOARD} unless told` },
  rootfs: {
    type: 'string',
    value: 'KIND',
    help: `packages or buildroot; packages for ${PACKAGES_BOARD}, else buildroot`,
  },
  output: { type: 'string', value: 'DIR', help: 'Buildroot: folder to build in; else one of the cache' },
  buildroot: { type: 'string', value: 'DIR', help: 'Buildroot: a checkout at hand (or BUILDROOT_DIR)' },
  jobs: { type: 'string', value: 'N', help: 'Buildroot: jobs of make' },
  keyring: { type: 'string', value: 'FILE', help: 'certificates for updates (or VITRINE_KEYRING)' },
  release: { type: 'boolean', help: 'for products: refuses a keyring that is none or for development' },
  clean: { type: 'boolean', help: 'Buildroot: remove what was built before, keep downloads' },
  sbom: { type: 'boolean', help: 'Buildroot: only list what is inside (CycloneDX), build nothing' },
} as const;

/** What is to be built, and how. */
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
 * Reads the command line; what does not go together is a {@link Problem}. Paths are relative to where the person stands
 * (`INIT_CWD`: npm moves to the project's folder).
 */
export function imageRequest(args: string[], env: NodeJS.ProcessEnv): ImageRequest {
  const { values, rest } = readArguments('npm run image -- [OPTIONS]', OPTIONS, args);
  if (rest.length > 0)
    throw new Problem(`"${rest.join(' ')}" means nothing here; is "--board" missing before it?`);
  const { board = PACKAGES_BOARD, rootfs = board === PACKAGES_BOARD ? 'packages' : 'buildroot' } = values;
  if (!boardNames().includes(board)) {
    throw new Problem(`there is no board "${board}"; the boards are ${boardNames().join(', ')}.`);
  }
  if (rootfs !== 'packages' && rootfs !== 'buildroot') {
    throw new Problem(`--rootfs is packages or buildroot, not "${rootfs}".`);
  }
  if (rootfs === 'packages' && board !== PACKAGES_BOARD) {
    throw new Problem(`only ${PACKAGES_BOARD} can be made from packages; ${board} needs --rootfs buildroot.`);
  }
  const path = (given: string | undefined): string | undefined =>
    given ? resolve(env.INIT_CWD ?? '.', given) : undefined;
  const own = (['output', 'buildroot', 'jobs', 'clean', 'sbom'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (rootfs === 'packages' && own) {
    throw new Problem(
      `--${own} is for Buildroot: add --rootfs buildroot, or another board than ${PACKAGES_BOARD}.`,
    );
  }
  if (values.jobs !== undefined && !/^[1-9]\d{0,3}$/.test(values.jobs)) {
    throw new Problem(`--jobs is a number of 1 or more, not "${values.jobs}".`);
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
      throw new Problem('a release has the version of package.json: VITRINE_VERSION must not be set.');
    }
  }
  if (output) request.output = output;
  if (tree) request.tree = tree;
  if (keyring) request.keyring = keyring;
  if (values.jobs) request.jobs = Number(values.jobs);
  return request;
}

async function fromPackages({ keyring }: ImageRequest): Promise<string> {
  // A namespace's process and the cache's key know it by the variable.
  if (keyring) process.env.VITRINE_KEYRING = keyring;
  await setupHost('run');
  await needRoom(cacheFolder(), ROOM_TO_ASSEMBLE, 'the image');
  return await buildImage();
}

async function fromBuildroot(request: ImageRequest): Promise<string> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  // The process that started this one is gone, even by SIGKILL (see run.mjs).
  process.once('disconnect', () => stop.abort());
  // Listening must not keep this process when its work is done.
  process.channel?.unref();
  return await buildWithBuildroot({ ...request, stop: stop.signal });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const request = imageRequest(process.argv.slice(2), process.env);
    // A keyring that cannot be read is said before hours of building.
    const named = request.keyring ? keyringWarning(request.keyring) : undefined;
    const folder = await (request.rootfs === 'packages' ? fromPackages(request) : fromBuildroot(request));
    const own = request.keyring ? undefined : existingKeyring(keyFolder());
    const warning = own ? keyringWarning(own) : named;
    if (warning && !request.sbom) say(warning);
    console.log(folder);
    return 0;
  });
}
