/** Finds Buildroot: the pinned release, downloaded and verified, or a checkout that the user names. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CommandError, run } from '../image/lib/run.ts';
import { ROOT } from '../lib/places.ts';
import { Problem } from '../lib/problem.ts';

const DOWNLOAD_TIMEOUT_MINUTES = 30;
const UNPACK_TIMEOUT_MINUTES = 10;

/** The values of `buildroot-external/buildroot.env`. */
export interface Pin {
  version: string;
  url: string;
  sha256: string;
}

/** Parses the text of `buildroot.env`. */
export function readPin(text: string): Pin {
  const value = (name: string, form: RegExp): string => {
    const found = new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
    if (!form.test(found)) throw new Problem(`buildroot-external/buildroot.env has no valid ${name}.`);
    return found;
  };
  return {
    version: value('BUILDROOT_VERSION', /^\d{4}\.\d{2}(\.\d+)?$/),
    url: value('BUILDROOT_URL', /^(https|file):\/\/\S+$/),
    sha256: value('BUILDROOT_SHA256', /^[0-9a-f]{64}$/),
  };
}

/** The pin of this project. */
export function projectPin(): Pin {
  return readPin(readFileSync(join(ROOT, 'buildroot-external/buildroot.env'), 'utf8'));
}

/** BR2_VERSION of a Buildroot tree, from its Makefile; undefined when the folder is not a Buildroot tree. */
export function versionOfTree(folder: string): string | undefined {
  const makefile = join(folder, 'Makefile');
  if (!existsSync(makefile)) return undefined;
  return /^export BR2_VERSION := (\S+)$/m.exec(readFileSync(makefile, 'utf8'))?.[1];
}

/** The release series, such as "2026.02" for "2026.02.3": point releases of a series contain only fixes. */
export function seriesOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

/**
 * Checks a Buildroot tree that the user named. It must be of the pinned series. For a point release other than the pinned
 * one a note is printed, since the result differs from the released image.
 */
export function namedTree(folder: string, pin: Pin, say: (line: string) => void): string {
  const path = resolve(folder);
  const version = versionOfTree(path);
  if (!version) {
    throw new Problem(
      `${path} is not a Buildroot tree (no Makefile with BR2_VERSION). BUILDROOT_DIR and --buildroot name a checkout or an unpacked release.`,
    );
  }
  if (seriesOf(version.replace(/-.*/, '')) !== seriesOf(pin.version)) {
    throw new Problem(
      `${path} is Buildroot ${version}; this project is made for ${seriesOf(pin.version)}.x (pinned: ${pin.version}).`,
    );
  }
  if (version !== pin.version) {
    say(`note: using Buildroot ${version} as requested; the project's pinned release is ${pin.version}`);
  }
  return path;
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/**
 * The pinned release, unpacked in `folder`. It is downloaded if it is missing, and unpacked only after its checksum has
 * been verified.
 */
export async function pinnedTree(folder: string, pin: Pin, say: (line: string) => void): Promise<string> {
  const tree = join(folder, `buildroot-${pin.version}-${pin.sha256.slice(0, 12)}`);
  if (existsSync(tree)) return tree;
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, `buildroot-${pin.version}.tar.xz`);
  if (!existsSync(archive)) {
    say(`downloading Buildroot ${pin.version} from ${pin.url}`);
    await download(pin.url, archive);
  }
  const sum = await sha256Of(archive);
  if (sum !== pin.sha256) {
    rmSync(archive);
    throw new Problem(
      `the downloaded ${pin.url} is not the pinned release and was removed: its SHA-256 is ${sum}, but buildroot-external/buildroot.env names ${pin.sha256}.`,
    );
  }
  say(`unpacking Buildroot ${pin.version} (the checksum is correct)`);
  const temporary = `${tree}.part`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary);
  await run('tar', ['-xf', archive, '-C', temporary, '--strip-components=1'], {
    timeoutMinutes: UNPACK_TIMEOUT_MINUTES,
  });
  const version = versionOfTree(temporary);
  if (version !== pin.version) {
    throw new Problem(
      `${archive} holds Buildroot ${version ?? '(none)'}, but buildroot.env names ${pin.version}.`,
    );
  }
  renameSync(temporary, tree);
  return tree;
}

/** Downloads with wget, which Buildroot needs anyway and which uses the user's proxy settings. */
async function download(url: string, to: string): Promise<void> {
  const part = `${to}.part`;
  rmSync(part, { force: true });
  try {
    // wget does not support file: URLs, which name a local mirror.
    if (url.startsWith('file:')) await run('cp', [new URL(url).pathname, part]);
    else {
      await run('wget', ['--no-verbose', '--tries=3', '--timeout=30', '-O', part, url], {
        timeoutMinutes: DOWNLOAD_TIMEOUT_MINUTES,
      });
    }
  } catch (error) {
    rmSync(part, { force: true });
    if (!(error instanceof CommandError)) throw error;
    throw new Problem(
      `Buildroot could not be downloaded from ${url}: ${error.output.split('\n').pop() ?? 'no reason given'}\n` +
        'Check the network, or name an unpacked release or a checkout with BUILDROOT_DIR or --buildroot.',
    );
  }
  if (statSync(part).size === 0) throw new Problem(`${url} gave an empty file.`);
  renameSync(part, to);
}
