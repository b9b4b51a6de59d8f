/**
 * `npm run bundle [-- --board BOARD]`: makes the signed update bundle of a board's image and prints its path. The virt
 * image is built first if necessary; for a Buildroot image, `npm run image` must have built it. See docs/releasing.md.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildrootFolder } from './buildroot/build.ts';
import { type BundleRequest, makeBundle } from './bundle/make.ts';
import { SIGNER_OPTIONS } from './bundle/signer.ts';
import { buildImage } from './image/build.ts';
import { hashFiles, hashOf } from './image/lib/hash.ts';
import { keyFolder } from './image/lib/inputs.ts';
import { readArguments } from './lib/arguments.ts';
import { imageKind } from './lib/board-names.ts';
import { ROOT } from './lib/places.ts';
import { command, Problem } from './lib/problem.ts';
import { Progress } from './lib/progress.ts';
import { setupHost } from './setup.ts';

const OPTIONS = {
  board: { type: 'string', value: 'BOARD', help: 'a folder of board/ (default: virt)' },
  rootfs: {
    type: 'string',
    value: 'KIND',
    help: 'packages or buildroot (default: packages for virt, else buildroot)',
  },
  output: { type: 'string', value: 'DIR', help: 'Buildroot: output folder (default: in the cache)' },
  ...SIGNER_OPTIONS,
  cert: { ...SIGNER_OPTIONS.cert, help: "the signer's certificate (default: your development key's)" },
  keyring: {
    type: 'string',
    value: 'FILE',
    help: "certificates that the result is verified with (default: the image's)",
  },
  'bundle-output': {
    type: 'string',
    value: 'FILE',
    help: "where to write it (default: in the image's folder)",
  },
} as const;

/** What to bundle. */
export interface BundleArguments extends Omit<BundleRequest, 'rootfs' | 'output'> {
  board: string;
  rootfs: 'packages' | 'buildroot';
  /** Output folder of Buildroot. */
  buildrootOutput?: string;
  output?: string;
}

/** Parses the command line. Paths are relative to the folder in which the user ran npm (`INIT_CWD`). */
export function bundleArguments(args: string[], env: NodeJS.ProcessEnv): BundleArguments {
  const { values, rest } = readArguments('npm run bundle -- [OPTIONS]', OPTIONS, args);
  if (rest.length > 0) throw new Problem(`unexpected argument "${rest.join(' ')}".`);
  const path = (given: string): string => resolve(env.INIT_CWD ?? '.', given);
  const { board, rootfs } = imageKind(values.board, values.rootfs);
  if (rootfs === 'packages' && values.output) throw new Problem('--output is for Buildroot.');
  if ((values.cert === undefined) !== (values.key === undefined)) {
    throw new Problem('--cert and --key are needed together.');
  }
  const { cert = join(keyFolder(), 'signing.pem'), key = join(keyFolder(), 'signing.key') } = values;
  const result: BundleArguments = {
    board,
    rootfs,
    cert: path(cert),
    key: key.startsWith('pkcs11:') ? key : path(key),
    verify: values.keyring ? path(values.keyring) : 'image',
  };
  if (values.output) result.buildrootOutput = path(values.output);
  if (values.intermediate) result.intermediate = path(values.intermediate);
  if (values['bundle-output']) result.output = path(values['bundle-output']);
  return result;
}

/** Makes the bundle of a root file system unless the output is there already, made from the same inputs. */
export async function bundleImage(request: BundleRequest): Promise<void> {
  const { size, mtimeMs } = statSync(request.rootfs);
  const { output, ...inputs } = request;
  const certificates = [request.cert, request.intermediate, request.verify]
    .filter((path) => path !== undefined && existsSync(path))
    .map((path) => readFileSync(path ?? '', 'utf8'));
  const key = hashOf(
    `${size} ${mtimeMs}`,
    JSON.stringify(inputs),
    ...certificates,
    hashFiles(ROOT, ['ci/bundle']),
  );
  const record = `${output}.inputs`;
  if (existsSync(output) && existsSync(record) && readFileSync(record, 'utf8') === key) return;
  await new Progress().step('making the update bundle', () => makeBundle(request));
  writeFileSync(record, key);
}

/** The bundle that a command line describes. The virt image is built if necessary. */
export async function bundleRequest(parsed: BundleArguments): Promise<BundleRequest> {
  const { board, rootfs: _kind, buildrootOutput: _folder, ...request } = parsed;
  const rootfs = await rootfsOf(parsed);
  const output = parsed.output ?? join(rootfs, '../update.raucb');
  return { description: `Vitrine for ${board}`, ...request, rootfs, output };
}

/** The root file system to bundle. */
async function rootfsOf({ board, rootfs, buildrootOutput }: BundleArguments): Promise<string> {
  if (rootfs === 'packages') return join(await buildImage(), 'rootfs.ext4');
  const output = buildrootOutput ?? join(buildrootFolder(), board);
  const file = join(output, 'images/rootfs.ext4');
  if (!existsSync(file)) {
    throw new Problem(`there is no ${file}; build the image with "npm run image -- --board ${board}" first.`);
  }
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const parsed = bundleArguments(process.argv.slice(2), process.env);
    await setupHost('build');
    const request = await bundleRequest(parsed);
    await bundleImage(request);
    console.log(request.output);
    return 0;
  });
}
