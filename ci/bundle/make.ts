/**
 * Makes RAUC bundles, which update devices, with the rauc of the builder root. As a script, `make.ts REQUEST` with the
 * request as JSON, it does the same: it runs itself that way in a user namespace.
 */
import {
  copyFileSync,
  constants as fsConstants,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asNamespaceRoot, beginBuild, explain } from '../image/build.ts';
import { Cache } from '../image/lib/cache.ts';
import { CommandError } from '../image/lib/run.ts';
import { builderRoot, inBuilder } from '../image/lib/stages.ts';
import { cacheFolder } from '../lib/places.ts';
import { command as main, Problem } from '../lib/problem.ts';
import { signerOptions } from './signer.ts';

/** A bundle to make. All files are absolute paths on this computer. */
export interface BundleRequest {
  /** The root file system. */
  rootfs: string;
  /** Which devices the bundle is for; default: the same as the root file system's own. */
  compatible?: string;
  /** Default: the version of the root file system. */
  version?: string;
  description?: string;
  /** What the bundle was built from, for example a commit. */
  build?: string;
  /** Default: true. Without it a device does not look for the content in its slots, which for a small image takes longer. */
  adaptive?: boolean;
  /** Of zstd, 1 (fastest) to 19; default: 9, see make-bundle.sh. */
  compressionLevel?: number;
  /** The signer's certificate, PEM. */
  cert: string;
  /** The signer's private key: a PEM file, or a PKCS#11 URI; see docs/releasing.md. */
  key: string;
  /** The certificate between signer and authority, PEM, if there is one. */
  intermediate?: string;
  /**
   * With which certificates the result is verified, under the rules of the root file system's own system.conf: a PEM
   * file, `image` for the root file system's own keyring, or `none` to verify nothing.
   */
  verify: string;
  /** The file to write; replaced if it exists. */
  output: string;
}

const COMPRESSION_LEVEL = 9;

/** The files of a root file system that say which updates it accepts, and its version. */
const IDENTITY = ['rauc/system.conf', 'rauc/keyring.pem', 'vitrine/version'] as const;

/**
 * Makes a signed bundle. The key is not copied. Throws a {@link Problem} when a file is missing, the key does not fit
 * the certificate, or the result would be refused by the keyring.
 */
export async function makeBundle(request: BundleRequest): Promise<void> {
  if (process.getuid?.() === 0) return await makeAsRoot(request);
  const made = await asNamespaceRoot(fileURLToPath(import.meta.url), [JSON.stringify(request)]);
  if (made === undefined) throw new Problem('the bundle could not be made; the lines above say why.');
}

async function makeAsRoot(request: BundleRequest): Promise<void> {
  process.umask(0o022);
  const cache = new Cache(join(cacheFolder(), 'image'));
  try {
    await cache.exclusively(async () => {
      const build = await beginBuild(cache);
      const builder = await builderRoot(build);
      const signer = signerOptions(request, process.env);
      await cache.scratch('update', async (work) => {
        const run = (command: string[], env = {}, files = {}) =>
          inBuilder(build, builder, work, command, { env, files });
        mkdirSync(join(work, 'content'));
        linkOrCopy(request.rootfs, join(work, 'content/rootfs.ext4'));
        const identity = await readIdentity(request, work, run);
        writeFileSync(join(work, 'content/manifest.raucm'), manifest(identity, request));
        // The times of the files in the bundle have no meaning; a constant makes it reproducible.
        const env = { ...signer.env, SOURCE_DATE_EPOCH: '0' };
        const level = String(request.compressionLevel ?? COMPRESSION_LEVEL);
        await run(['/src/ci/bundle/make-bundle.sh', level, ...signer.options], env, signer.files);
        if (request.verify !== 'none') await verify(request, work, run);
        mkdirSync(dirname(request.output), { recursive: true });
        moveInto(join(work, 'bundle.raucb'), request.output);
      });
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new Problem(explainSigning(error.output, request) ?? explain(error));
  }
}

type Run = (command: string[], env?: Record<string, string>) => Promise<string>;

/** Compatible and version, from the request or else from the root file system. */
async function readIdentity(
  request: BundleRequest,
  work: string,
  run: Run,
): Promise<{ compatible: string; version: string }> {
  const { compatible, version } = request;
  if (compatible !== undefined && version !== undefined && request.verify === 'none')
    return { compatible, version };
  const dump = IDENTITY.map((path) => `dump /etc/${path} /out/${path.split('/')[1]}\n`).join('');
  writeFileSync(join(work, 'dump'), dump);
  await run(['debugfs', '-f', 'dump', 'content/rootfs.ext4']);
  const read = (name: string): string => {
    try {
      return readFileSync(join(work, name), 'utf8');
    } catch {
      throw new Problem(`${request.rootfs} is not a root file system of this project: it has no ${name}.`);
    }
  };
  const own = /^compatible=(\S+)$/m.exec(read('system.conf'))?.[1];
  if (own === undefined) throw new Problem(`${request.rootfs} names no "compatible" in its system.conf.`);
  return { compatible: compatible ?? own, version: version ?? read('version').trim() };
}

/** The text of a bundle's manifest. Throws a {@link Problem} for a value that its format cannot hold. */
export function manifest(
  identity: { compatible: string; version: string },
  about: { description?: string; build?: string; adaptive?: boolean },
): string {
  const lines = Object.entries({ ...identity, description: about.description, build: about.build })
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => {
      if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(value)) {
        throw new Problem(`the bundle's ${name} must be 1 to 255 characters of ASCII on one line.`);
      }
      // Backslashes begin escape sequences in key files.
      return `${name}=${value.replaceAll('\\', '\\\\')}`;
    });
  return `[update]
${lines.join('\n')}

[bundle]
format=verity

[image.rootfs]
filename=rootfs.ext4
${about.adaptive === false ? '' : 'adaptive=block-hash-index\n'}`;
}

async function verify(request: BundleRequest, work: string, run: Run): Promise<void> {
  if (request.verify !== 'image') copyFileSync(request.verify, join(work, 'keyring.pem'));
  await run(['/src/ci/bundle/check-bundle.sh']).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    const keyring = request.verify === 'image' ? "the image's keyring" : `the keyring ${request.verify}`;
    const reason = /signature verification failed: (?:Verify error: )?(.*)/.exec(error.output);
    throw new Problem(
      `devices would refuse this bundle: the certificate ${request.cert} is not trusted by ${keyring} ` +
        `(${reason?.[1] ?? error.output}).`,
    );
  });
}

/** A sentence for the mistakes in naming a signer; undefined for other failures. */
function explainSigning(output: string, { cert, key }: BundleRequest): string | undefined {
  if (/key values mismatch|private key does not match/i.test(output)) {
    return `the key ${key} does not belong to the certificate ${cert}.`;
  }
  const line = /^.*(?:failed to load|Failed to create bundle|failed to sign).*$/im.exec(output)?.[0];
  return line === undefined ? undefined : `the bundle could not be made: ${line.trim()}`;
}

/** Hard link where possible: a root file system has a gigabyte. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to, fsConstants.COPYFILE_FICLONE);
  }
}

/** Replaces a file by another one, which may be on another file system; `to` is never incomplete. */
function moveInto(from: string, to: string): void {
  const partial = `${to}.partial`;
  rmSync(partial, { force: true });
  linkOrCopy(from, partial);
  renameSync(partial, to);
}

/** Parses what {@link makeBundle} passes to its child process. */
export function parseRequest(text: string): BundleRequest {
  const request: unknown = JSON.parse(text);
  if (!isRequest(request)) throw new Problem('usage: make.ts REQUEST, with the request as JSON');
  return request;
}

function isRequest(value: unknown): value is BundleRequest {
  if (typeof value !== 'object' || value === null) return false;
  const required = ['rootfs', 'cert', 'key', 'verify', 'output'];
  const fits = ([name, given]: [string, unknown]) =>
    typeof given === (name === 'adaptive' ? 'boolean' : 'string');
  return required.every((name) => name in value) && Object.entries(value).every(fits);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    await makeAsRoot(parseRequest(process.argv[2] ?? '{}'));
    return 0;
  });
}
