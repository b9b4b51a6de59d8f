/** Reads the folder of bundles at start and cleans it up after a power cut. */
import { lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, sweepTemporaryFiles, syncFolder } from '../../base/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import { BUNDLE_NAME } from '../../contract/shared.ts';
import { hashFile, quickCheck, WRONG_HASH } from './checks.ts';
import { candidates, type Description, readSidecar, type StoredBundle, writeSidecar } from './sidecar.ts';

const NAME = new RegExp(BUNDLE_NAME);

/** The content of the folder at start. */
export interface FoundBundles {
  bundles: Map<string, StoredBundle>;
  /** Names of archives that only their hash identifies: {@link readBundle} reads them, which may take minutes. */
  unread: string[];
}

/**
 * Lists the bundles of a folder without reading whole archives. Unrelated files are left alone. A damaged archive is
 * listed as what it was when it was stored, so that its owner can delete or replace it; the log and `check` report
 * the damage, and the display refuses it. Never fails.
 */
export async function loadBundles(folder: string, log: Logger): Promise<FoundBundles> {
  const bundles = new Map<string, StoredBundle>();
  const unread: string[] = [];
  let names: string[];
  try {
    await makeContentFolder(folder);
    await sweepTemporaryFiles(folder);
    names = await readdir(folder);
  } catch (error) {
    log.error({ err: error }, 'the folder of bundles cannot be read');
    return { bundles, unread };
  }
  for (const file of names.sort()) {
    const name = bundleOf(file, '.zip');
    if (name === undefined) continue;
    try {
      const description = await describe(folder, name, log, undefined);
      if (description === 'unread') unread.push(name);
      else if (description) bundles.set(name, description);
    } catch (error) {
      log.error({ err: error, bundle: name }, 'bundle cannot be read');
    }
  }
  await removeOrphans(folder, new Set(names), log);
  return { bundles, unread };
}

/**
 * Identifies an archive by reading all of it.
 * @returns undefined when it is no longer a file
 * @throws Error of the system; the reason of `signal`
 */
export async function readBundle(
  folder: string,
  name: string,
  log: Logger,
  signal: AbortSignal,
): Promise<StoredBundle | undefined> {
  const found = await describe(folder, name, log, (path) => hashFile(path, signal));
  return found === 'unread' ? undefined : found;
}

/** Creates the folder of bundles durably if it is missing. */
export async function makeContentFolder(folder: string): Promise<void> {
  const created = await makeFolder(folder);
  if (created !== undefined) await syncFolder(dirname(created));
}

/** @param hash computes the hash of a file; without it the answer is `unread` if the hash is needed */
async function describe(
  folder: string,
  name: string,
  log: Logger,
  hash: ((path: string) => Promise<string>) | undefined,
): Promise<StoredBundle | 'unread' | undefined> {
  const path = join(folder, `${name}.zip`);
  const found = await lstat(path);
  if (!found.isFile()) {
    log.warn({ bundle: name }, 'a bundle is not a regular file');
    return undefined;
  }
  const sidecar = join(folder, `${name}.json`);
  const read = await readSidecar(sidecar);
  if (!read) {
    if (!hash) return 'unread';
    const created = { sha256: await hash(path), size: found.size, created: found.mtime.toISOString() };
    const bundle = await withDamage({ path, ...created });
    log.warn({ bundle: name, ...bundle }, 'the lost description of a bundle was created again');
    await saveDescription(sidecar, created, log);
    return bundle;
  }
  const { next: _next, ...current } = read;
  const matching = candidates(read, found.size);
  if (matching.length > 1 && !hash) return 'unread';
  const sha256 = matching.length > 1 ? await hash?.(path) : matching[0]?.sha256;
  const description = matching.find((one) => one.sha256 === sha256);
  if (!description) {
    // The size may be right and only the hash wrong; then the quick check finds nothing.
    const bundle = { damage: WRONG_HASH, ...(await withDamage({ path, ...current })) };
    log.error({ bundle: name, damage: bundle.damage }, 'bundle is damaged');
    return bundle;
  }
  if (read.next) await saveDescription(sidecar, description, log);
  return { path, ...description };
}

async function withDamage(bundle: StoredBundle): Promise<StoredBundle> {
  const check = await quickCheck(bundle);
  return check?.ok === false ? { ...bundle, damage: check.message } : bundle;
}

/** A failure (full or read-only disk) is harmless: the next start tries again. */
async function saveDescription(path: string, description: Description, log: Logger): Promise<void> {
  await writeSidecar(path, description).catch((error: unknown) => {
    log.warn({ err: error }, 'the description of a bundle could not be written');
  });
}

/** Removes sidecars without an archive. */
async function removeOrphans(folder: string, names: ReadonlySet<string>, log: Logger): Promise<void> {
  for (const file of names) {
    const name = bundleOf(file, '.json');
    if (name === undefined || names.has(`${name}.zip`)) continue;
    await rm(join(folder, file), { force: true }).catch((error: unknown) => {
      log.warn({ err: error, file }, 'file could not be removed');
    });
  }
}

function bundleOf(file: string, extension: '.zip' | '.json'): string | undefined {
  const name = file.endsWith(extension) ? file.slice(0, -extension.length) : '';
  return NAME.test(name) ? name : undefined;
}
