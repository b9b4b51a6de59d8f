/**
 * `npm run release -- --keyring FILE --cert FILE --key KEY [BOARD…]`: builds all artefacts of the version in package.json
 * into one folder: images, update bundles, SBOMs, the changelog's section, checksums. docs/releasing.md has the steps
 * before and after it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeBundle } from './bundle/make.ts';
import { SIGNER_OPTIONS } from './bundle/signer.ts';
import { bundleRequest } from './bundle.ts';
import { projectVersion } from './image/lib/inputs.ts';
import { say } from './image/lib/run.ts';
import { imageRequest, makeImage } from './image.ts';
import { readArguments } from './lib/arguments.ts';
import { imageKind, namedBoards, PACKAGES_BOARD } from './lib/board-names.ts';
import { ROOT } from './lib/places.ts';
import { command, Problem } from './lib/problem.ts';
import { addImage, checksums, signChecksums } from './release/artefacts.ts';

const GIT_TIMEOUT_MS = 60_000;

const OPTIONS = {
  keyring: { type: 'string', value: 'FILE', help: 'certificates that verify updates (or VITRINE_KEYRING)' },
  ...SIGNER_OPTIONS,
  output: { type: 'string', value: 'DIR', help: 'Buildroot: output folders, one for each board, in DIR' },
  folder: { type: 'string', value: 'DIR', help: 'where the artefacts go (default: build/release/VERSION)' },
  'gpg-key': { type: 'string', value: 'ID', help: 'the OpenPGP key that signs SHA256SUMS' },
  'dry-run': { type: 'boolean', help: 'also from a tree with changes, or without tag and changelog' },
} as const;

/** The text below the heading of a version in CHANGELOG.md; undefined if there is no such heading or no text. */
export function changelogSection(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  // "0.2.0", "[0.2.0]" or "0.2.0 (2026-12-01)"
  const found = sections.find((section) => section.replace(/^\[/, '').split(/[\s\]]/, 1)[0] === version);
  const text = found?.slice(found.indexOf('\n') + 1).trim();
  return text ? `${text}\n` : undefined;
}

/** What to release. Paths are absolute. */
export interface ReleaseArguments {
  boards: string[];
  keyring: string;
  cert: string;
  key: string;
  intermediate?: string;
  output?: string;
  folder?: string;
  gpgKey?: string;
  dryRun: boolean;
}

/** Parses the command line; see `imageRequest`. Throws a {@link Problem} if the product's keys are not named. */
export function releaseArguments(args: string[], env: NodeJS.ProcessEnv): ReleaseArguments {
  const { values, rest } = readArguments('npm run release -- OPTIONS [BOARD…]', OPTIONS, args);
  const path = (given: string): string => resolve(env.INIT_CWD ?? '.', given);
  const keyring = values.keyring ?? env.VITRINE_KEYRING;
  const { cert, key, intermediate, output, folder } = values;
  if (!keyring || !cert || !key) {
    const missing = Object.entries({ keyring, cert, key }).filter(([, value]) => !value);
    const names = missing.map(([name]) => `--${name}`).join(', ');
    throw new Problem(`a release needs the keys of the product: ${names} is missing (docs/releasing.md).`);
  }
  return {
    boards: rest.length > 0 ? namedBoards(rest) : [PACKAGES_BOARD],
    keyring: path(keyring),
    cert: path(cert),
    key: key.startsWith('pkcs11:') ? key : path(key),
    dryRun: values['dry-run'] ?? false,
    ...(intermediate && { intermediate: path(intermediate) }),
    ...(output && { output: path(output) }),
    ...(folder && { folder: path(folder) }),
    ...(values['gpg-key'] && { gpgKey: values['gpg-key'] }),
  };
}

/** Throws a {@link Problem} unless the tree is exactly the commit that the version's tag names. */
export function requireTag(version: string, tree: string): void {
  const changed = git(tree, 'status', '--porcelain');
  if (changed)
    throw new Problem(`a release is built from a clean tree, but it has changes:\n${changed.trimEnd()}`);
  if (!git(tree, 'tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`)) {
    throw new Problem(`the current commit has no tag v${version}.`);
  }
}

/** Builds everything into a folder, which must not exist, and returns its path. */
async function release(request: ReleaseArguments): Promise<string> {
  const version = projectVersion();
  if (!request.dryRun) requireTag(version, ROOT);
  const changes = changelogSection(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  if (!changes && !request.dryRun) throw new Problem(`CHANGELOG.md has no section for version ${version}.`);
  const folder = request.folder ?? join(ROOT, 'build/release', version);
  if (existsSync(folder)) throw new Problem(`${folder} exists already; remove it, or name another --folder.`);
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  for (const board of request.boards) await addBoard(request, board, version, partial);
  if (changes) writeFileSync(join(partial, 'CHANGES.md'), changes);
  await checksums(partial);
  if (request.gpgKey) signChecksums(partial, request.gpgKey);
  renameSync(partial, folder);
  return folder;
}

/** Builds the artefacts of a board; their names begin with the board's and the version. */
async function addBoard(
  request: ReleaseArguments,
  board: string,
  version: string,
  folder: string,
): Promise<void> {
  const { rootfs } = imageKind(board);
  const output = rootfs === 'buildroot' && request.output ? ['--output', join(request.output, board)] : [];
  const options = ['--board', board, '--release', '--keyring', request.keyring, ...output];
  const images = await makeImage(imageRequest(options, process.env));
  const name = join(folder, `vitrine-${board}-${version}`);
  addImage(images, name);
  const { cert, key, intermediate } = request;
  const bundle = await bundleRequest({
    board,
    rootfs,
    cert,
    key,
    ...(intermediate && { intermediate }),
    ...(rootfs === 'buildroot' && { buildrootOutput: dirname(images) }),
    build: git(ROOT, 'rev-parse', 'HEAD').trim(),
    // Devices on which the image is flashed must accept the next update.
    verify: 'image',
    output: `${name}.raucb`,
  });
  await makeBundle(bundle);
}

function git(tree: string, ...args: string[]): string {
  try {
    return execFileSync('git', args, { cwd: tree, encoding: 'utf8', timeout: GIT_TIMEOUT_MS });
  } catch {
    throw new Problem(`"git ${args.join(' ')}" failed; a release is built from a git checkout.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const request = releaseArguments(process.argv.slice(2), process.env);
    const folder = await release(request);
    if (request.dryRun) say('a dry run: do not publish these files');
    console.log(folder);
    return 0;
  });
}
