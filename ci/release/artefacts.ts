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
import { BMAP, COMPRESSED, MANIFEST } from '../image/factory/files.ts';
import { AGENT_SBOM, IMAGE_SBOM } from '../image/factory/sbom.ts';
import { Problem } from '../lib/problem.ts';

const GPG_TIMEOUT_MS = 5 * 60_000;

/** The files for manufacturing, and the ends of their names in a release. */
const FACTORY_FILES = {
  [COMPRESSED]: '.img.zst',
  [BMAP]: '.img.bmap',
  [IMAGE_SBOM]: '.image.cdx.json',
  [AGENT_SBOM]: '.agent.cdx.json',
};

/**
 * Copies the files for manufacturing of a board, and gives them its name and version.
 * @param images folder of the built image
 * @param name path and beginning of the files' names
 */
export function addImage(images: string, name: string): void {
  let manifest = readFileSync(join(images, MANIFEST), 'utf8');
  for (const [file, end] of Object.entries(FACTORY_FILES)) {
    copyFileSync(join(images, file), `${name}${end}`, constants.COPYFILE_FICLONE);
    manifest = manifest.replaceAll(`"${file}"`, `"${basename(name)}${end}"`);
  }
  writeFileSync(`${name}.manifest.json`, manifest);
  // U-Boot of virt, which is the BIOS of the emulated machine.
  const rom = join(images, 'u-boot.rom');
  if (existsSync(rom)) copyFileSync(rom, `${name}.u-boot.rom`, constants.COPYFILE_FICLONE);
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
