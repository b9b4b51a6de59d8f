/** The files of a release, made from what the builds leave. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { agentSbom } from '../buildroot/sbom.ts';
import { readPackageConf } from '../image/lib/conf.ts';
import { run } from '../image/lib/run.ts';
import { ROOT } from '../lib/places.ts';
import { Problem } from '../lib/problem.ts';
import { packagesSbom, reproducibleSbom } from './sbom.ts';

const GPG_TIMEOUT_MS = 5 * 60_000;
/** Level of zstd. The result does not depend on the number of threads. */
const LEVEL = '-9';

/**
 * Copies a board's image: compressed, with what belongs to it.
 * @param images folder of the built image
 * @param name path and beginning of the files' names
 */
export async function addImage(images: string, name: string): Promise<void> {
  await run('zstd', ['-q', '-f', '-T0', LEVEL, join(images, 'disk.img'), '-o', `${name}.img.zst`]);
  // U-Boot of virt, which is the BIOS of the emulated machine.
  const rom = join(images, 'u-boot.rom');
  if (existsSync(rom)) copyFileSync(rom, `${name}.u-boot.rom`, constants.COPYFILE_FICLONE);
}

/**
 * Adds the SBOM of the image and that of the agent.
 * @param folder has packages.txt, the packages of an image, or the SBOMs that Buildroot made
 */
export async function addPackagesSbom(
  folder: string,
  name: string,
  image: { name: string; version: string },
): Promise<void> {
  const list = join(folder, 'packages.txt');
  if (existsSync(list)) {
    const { suite } = readPackageConf(join(ROOT, 'ci/image/packages.conf'));
    writeFileSync(`${name}.image.cdx.json`, packagesSbom(readFileSync(list, 'utf8'), image, suite));
  } else {
    copyFileSync(join(folder, 'image.cdx.json'), `${name}.image.cdx.json`);
  }
  writeFileSync(`${name}.agent.cdx.json`, reproducibleSbom(await agentSbom(), 'vitrine'));
}

/** Writes SHA256SUMS, which `sha256sum --check` reads, with all other files of the folder. */
export async function checksums(folder: string): Promise<void> {
  const lines: string[] = [];
  for (const file of readdirSync(folder).sort()) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, file)), hash);
    lines.push(`${hash.digest('hex')}  ${basename(file)}\n`);
  }
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

/** Signs SHA256SUMS with an OpenPGP key. gpg may ask for a passphrase. */
export function signChecksums(folder: string, key: string): void {
  const args = ['--armor', '--local-user', key, '--detach-sign', 'SHA256SUMS'];
  try {
    execFileSync('gpg', args, {
      cwd: folder,
      timeout: GPG_TIMEOUT_MS,
      stdio: ['inherit', 'ignore', 'inherit'],
    });
  } catch {
    throw new Problem(`gpg could not sign SHA256SUMS with the key ${key}; the lines above say why.`);
  }
}
