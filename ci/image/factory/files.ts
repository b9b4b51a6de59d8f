/**
 * The files for manufacturing, beside an image: compressed disk, block map, manifest, SBOMs, checksums. Only
 * `npm run image` makes them; the tests and `npm start` use disk.img.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { writeFileAtomic } from '../../../agent/src/base/atomic-file.ts';
import { ROOT } from '../../lib/places.ts';
import { Problem } from '../../lib/problem.ts';
import { CommandError, run, say } from '../lib/run.ts';
import { blockMap } from './bmap.ts';
import { imageFacts, type Partition, partitionsOf } from './facts.ts';
import { AGENT_SBOM, agentSbom, debianSbom, IMAGE_SBOM } from './sbom.ts';

const DISK = 'disk.img';
export const COMPRESSED = `${DISK}.zst`;
export const BMAP = `${DISK}.bmap`;
export const MANIFEST = 'manifest.json';
const SUMS = 'SHA256SUMS';
/** Result of compressing, which takes long: reused while disk.img and the level are the same. */
const COMPRESSING = 'compressed.json';
const LEVELS = { quick: 3, release: 19 } as const;
const COMPRESS_MINUTES = 120;
/** The beginning of the data partition that is written to the card: the first boot must find it blank. */
const BLANK_BYTES = 2 ** 20;

const Compressing = Type.Object({ source: Type.String(), imageSha256: Type.String() });

export interface FactoryFiles {
  /** Folder with disk.img and rootfs.ext4; it gets the files. */
  folder: string;
  release: boolean;
  /** How the root file system was made. */
  rootfs:
    | { kind: 'packages'; suite: string }
    /** `sbom`: folder with both SBOMs; undefined if they could not be made. */
    | { kind: 'buildroot'; version: string; sbom: string | undefined };
}

/** Makes the files that do not exist yet or are out of date, and returns their names. */
export async function makeFactoryFiles(request: FactoryFiles): Promise<string[]> {
  const { folder, rootfs } = request;
  const partitions = await partitionsOf(join(folder, DISK));
  const facts = await imageFacts(join(folder, 'rootfs.ext4'));
  const { imageSha256 } = await compress(request, partitions);
  const sboms: string[] = [];
  const write = async (name: string, content: string): Promise<void> => {
    sboms.push(name);
    await writeFileAtomic(join(folder, name), content);
  };
  if (rootfs.kind === 'packages') {
    const { board, version, packages } = facts;
    if (!packages) throw new Problem('the image has no list of its packages.');
    await write(IMAGE_SBOM, debianSbom(board, version, packages, rootfs.suite));
    await write(AGENT_SBOM, await agentSbom());
  } else if (rootfs.sbom) {
    for (const name of [IMAGE_SBOM, AGENT_SBOM])
      await write(name, await readFile(join(rootfs.sbom, name), 'utf8'));
  }
  const { size } = await stat(join(folder, DISK));
  const inputs = {
    ...(await sourceOf()),
    rootfs: rootfs.kind,
    ...(rootfs.kind === 'packages'
      ? { package_index: facts.filesDate }
      : { buildroot: rootfs.version, source_date: facts.filesDate }),
    keyring_sha256: facts.keyring,
  };
  const manifest = {
    version: facts.version,
    board: facts.board,
    compatible: facts.compatible,
    disk: { file: COMPRESSED, bmap: BMAP, size, sha256: imageSha256 },
    partitions,
    inputs,
    sbom: sboms,
  };
  await writeFileAtomic(join(folder, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const names = [COMPRESSED, BMAP, MANIFEST, ...sboms];
  const sums = await Promise.all(names.map(async (name) => `${await sha256(join(folder, name))}  ${name}\n`));
  await writeFileAtomic(join(folder, SUMS), sums.join(''));
  return [...names, SUMS];
}

/** Copies the files into another folder; the checksums last, so that their presence means that all are complete. */
export async function copyFactoryFiles(names: string[], from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of names) await copyFile(join(from, name), join(to, name));
}

async function compress(
  { folder, release }: FactoryFiles,
  partitions: Partition[],
): Promise<Static<typeof Compressing>> {
  const disk = join(folder, DISK);
  const { size, mtimeMs } = await stat(disk);
  const level = release ? LEVELS.release : LEVELS.quick;
  const source = `${size} ${mtimeMs} ${level}`;
  const stamp = join(folder, COMPRESSING);
  const made: unknown = await readFile(stamp, 'utf8').then(JSON.parse, () => undefined);
  if (Value.Check(Compressing, made) && made.source === source) return made;
  // The data partition is always the last one.
  const data = partitions.at(-1);
  if (!data) throw new Problem(`${disk} has no partition.`);
  say(`compressing the disk image${release ? ' for a release, which takes minutes' : ''}`);
  const unused = { start: data.offset + Math.min(BLANK_BYTES, data.size), end: data.offset + data.size };
  // Until this is done, the files may be of different versions.
  await rm(stamp, { force: true });
  const unfinished = join(folder, `.${COMPRESSED}.tmp`);
  // The result does not depend on the number of threads.
  const zstd = run('zstd', ['-q', '-f', '-T0', `-${level}`, disk, '-o', unfinished], {
    timeoutMinutes: COMPRESS_MINUTES,
  }).catch((error: unknown) => {
    throw error instanceof CommandError
      ? new Problem(`the disk could not be compressed: ${error.output}`)
      : error;
  });
  const [{ xml, imageSha256 }] = await Promise.all([blockMap(disk, unused), zstd]);
  await rename(unfinished, join(folder, COMPRESSED));
  await writeFileAtomic(join(folder, BMAP), xml);
  const result = { source, imageSha256 };
  await writeFileAtomic(stamp, JSON.stringify(result));
  return result;
}

/** The commit of the working tree, and whether it has changes; null outside of a git clone. */
async function sourceOf(): Promise<{ commit: string | null; dirty: boolean | null }> {
  const git = (...args: string[]): Promise<string> =>
    run('git', ['-c', 'safe.directory=*', '-C', ROOT, ...args], { timeoutMinutes: 1 });
  try {
    const commit = (await git('rev-parse', 'HEAD')).trim();
    return { commit, dirty: (await git('status', '--porcelain')) !== '' };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { commit: null, dirty: null };
  }
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk);
  return hash.digest('hex');
}
