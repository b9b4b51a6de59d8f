/** Reads the folder of bundles at start, and brings it in order after a power cut. */
import { lstat, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, syncFolder, TEMPORARY_FILE } from '../../base/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import { BUNDLE_NAME } from '../../contract/shared.ts';
import { hashFile } from './file-hash.ts';
import { candidates, type Description, readSidecar, writeSidecar } from './sidecar.ts';
import { glanceAtArchive, OTHER_BYTES } from './stored-bundle-check.ts';

const NAME = new RegExp(BUNDLE_NAME);

/** What is known of a bundle that lies in the folder. */
export interface LoadedBundle extends Description {
  /** What a look from outside tells against the archive; all of it is read by `check` alone. */
  damage?: string;
}

/** What the start finds in the folder. */
export interface FoundBundles {
  bundles: Map<string, LoadedBundle>;
  /** Archives that only their hash can tell: {@link readBundle} reads all of them, which may take minutes. */
  unread: string[];
}

/**
 * The bundles of a folder with what is known of each without reading it. Files that are no bundle's are left alone. An archive that is
 * damaged is listed all the same, as what it was when it was stored: its owner is to see that it is there and delete
 * or replace it; the log and `check` tell what is wrong, and the display refuses it. Never fails.
 */
export async function loadBundles(folder: string, log: Logger): Promise<FoundBundles> {
  const bundles = new Map<string, LoadedBundle>();
  const unread: string[] = [];
  let names: string[];
  try {
    await makeContentFolder(folder);
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
  await sweep(folder, new Set(names), log);
  return { bundles, unread };
}

/**
 * Finds out what an archive is by reading all of it.
 * @returns undefined when it is no file any more @throws Error of the system; the reason of `signal`
 */
export async function readBundle(
  folder: string,
  name: string,
  log: Logger,
  signal: AbortSignal,
): Promise<LoadedBundle | undefined> {
  const found = await describe(folder, name, log, (path) => hashFile(path, signal));
  return found === 'unread' ? undefined : found;
}

/** Makes the folder of bundles where it is not there, for good. */
export async function makeContentFolder(folder: string): Promise<void> {
  const made = await makeFolder(folder);
  if (made !== undefined) await syncFolder(dirname(made));
}

/** @param hash of a file; without one the answer is `unread` where it takes the hash to tell */
async function describe(
  folder: string,
  name: string,
  log: Logger,
  hash: ((path: string) => Promise<string>) | undefined,
): Promise<LoadedBundle | 'unread' | undefined> {
  const path = join(folder, `${name}.zip`);
  const found = await lstat(path);
  if (!found.isFile()) {
    log.warn({ bundle: name }, 'what has the name of a bundle is not a file');
    return undefined;
  }
  const sidecar = join(folder, `${name}.json`);
  const read = await readSidecar(sidecar);
  if (!read) {
    if (!hash) return 'unread';
    const made = { sha256: await hash(path), size: found.size, created: found.mtime.toISOString() };
    const damage = await glance(path, made);
    log.warn({ bundle: name, ...made, ...damage }, 'the description of a bundle was lost: made anew');
    await keep(sidecar, made, log);
    return { ...made, ...damage };
  }
  const { next: _next, ...current } = read;
  const fitting = candidates(read, found.size);
  if (fitting.length > 1 && !hash) return 'unread';
  const sha256 = fitting.length > 1 ? await hash?.(path) : fitting[0]?.sha256;
  const description = fitting.find((one) => one.sha256 === sha256);
  if (!description) {
    // Of a right size the hash fits none: the directory may be in order all the same.
    const damage = { damage: OTHER_BYTES, ...(await glance(path, current)) };
    log.error({ bundle: name, ...damage }, 'bundle is damaged');
    return { ...current, ...damage };
  }
  if (read.next) await keep(sidecar, description, log);
  return description;
}

async function glance(path: string, description: Description): Promise<{ damage?: string }> {
  const handle = await open(path, 'r');
  try {
    const { ok, message } = await glanceAtArchive(handle, description);
    return ok ? {} : { damage: message };
  } finally {
    await handle.close();
  }
}

/** What cannot be written now (a full or read-only disk) is found out again at the next start. */
async function keep(path: string, description: Description, log: Logger): Promise<void> {
  await writeSidecar(path, description).catch((error: unknown) => {
    log.warn({ err: error }, 'the description of a bundle could not be kept');
  });
}

/** Removes sidecars without an archive and what cut-off uploads and writes have left. */
async function sweep(folder: string, names: ReadonlySet<string>, log: Logger): Promise<void> {
  for (const file of names) {
    const sidecarOf = bundleOf(file, '.json');
    const isOrphan = sidecarOf !== undefined && !names.has(`${sidecarOf}.zip`);
    if (!isOrphan && !isLeftover(file)) continue;
    await rm(join(folder, file), { force: true }).catch((error: unknown) => {
      log.warn({ err: error, file }, 'file could not be removed');
    });
  }
}

function bundleOf(file: string, extension: '.zip' | '.json'): string | undefined {
  const name = file.endsWith(extension) ? file.slice(0, -extension.length) : '';
  return NAME.test(name) ? name : undefined;
}

/** A temporary file of an archive or of a sidecar: `.<name>.zip.<12 hex digits>.tmp` */
function isLeftover(file: string): boolean {
  if (!TEMPORARY_FILE.test(file)) return false;
  const of = file.slice(1, file.lastIndexOf('.', file.length - '.tmp'.length - 1));
  return bundleOf(of, '.zip') !== undefined || bundleOf(of, '.json') !== undefined;
}
