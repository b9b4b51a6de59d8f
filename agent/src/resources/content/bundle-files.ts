/**
 * The folder of bundles. An archive is one file whose name describes it, `<bundle>.<created>.<size>.<sha256>.zip` with
 * the time in ms since 1970. So the archive and its description are stored, replaced and removed in one step.
 */
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, removeFile, sweepTemporaryFiles, syncFolder } from '../../base/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import type { Received } from '../../uploads/receive.ts';
import { BUNDLE_NAME } from './schema.ts';

const BUNDLE = new RegExp(BUNDLE_NAME);
const FILE = /^([^.]+)\.(\d{1,15})\.(\d{1,15})\.([0-9a-f]{64})\.zip$/;

/** A stored archive. Each upload has an object and a file name of its own. */
export interface StoredBundle {
  readonly path: string;
  /** As hex. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly created: string;
  /** Why the archive is damaged, as far as the start or the last check found. */
  damage?: string;
}

/** Makes the folder if it is missing, so that it survives a power cut. @throws Error of the system */
export async function makeBundleFolder(folder: string): Promise<void> {
  const created = await makeFolder(folder);
  if (created !== undefined) await syncFolder(dirname(created));
}

/** @param created ms since 1970 */
export function storedBundle(folder: string, name: string, created: number, upload: Received): StoredBundle {
  const { size, sha256 } = upload;
  const path = join(folder, `${name}.${created}.${size}.${sha256}.zip`);
  return { path, sha256, size, created: new Date(created).toISOString() };
}

/**
 * Lists the bundles by name and removes what a power cut has left: temporary files and replaced archives. Reads no
 * archive and leaves other files alone. A damaged archive is listed as it was when it was stored, so that its owner can
 * delete or replace it. Never fails.
 */
export async function loadBundles(folder: string, log: Logger): Promise<Map<string, StoredBundle>> {
  const bundles = new Map<string, StoredBundle>();
  try {
    await makeBundleFolder(folder);
    await sweepTemporaryFiles(folder);
    for (const file of await readdir(folder)) await load(folder, file, bundles, log);
  } catch (error) {
    log.error({ err: error }, 'the folder of bundles cannot be read');
  }
  return bundles;
}

async function load(
  folder: string,
  file: string,
  bundles: Map<string, StoredBundle>,
  log: Logger,
): Promise<void> {
  const [, name = '', created, size, sha256 = ''] = FILE.exec(file) ?? [];
  if (!BUNDLE.test(name)) return;
  const bundle = storedBundle(folder, name, Number(created), { size: Number(size), sha256 });
  try {
    const found = await lstat(bundle.path);
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size !== bundle.size) {
      bundle.damage = wrongSize(bundle, found.size);
      log.error({ bundle: name, damage: bundle.damage }, 'bundle is damaged');
    }
    const other = bundles.get(name);
    const isNewer = !other || other.created < bundle.created;
    if (isNewer) bundles.set(name, bundle);
    if (other) await removeFile(isNewer ? other.path : bundle.path);
  } catch (error) {
    log.error({ err: error, bundle: name }, 'the file of a bundle cannot be used or removed');
  }
}

/** Why an archive is damaged whose file has another size than the upload. */
export function wrongSize({ size }: StoredBundle, found: number): string {
  return `The archive has ${found} bytes instead of ${size}.`;
}
