import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HttpAnswer } from '../../client/http.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from './device.ts';

const FOLDER = fileURLToPath(new URL('../bundles', import.meta.url));
/**
 * The port in the origins of bundles, CONTENT_PORT of board/common/device.env. Repeated here on purpose: changing it
 * would make pages lose their stored data, so a test must fail.
 */
export const CONTENT_PORT = 8090;
/** The files of an app in `tests-qemu/bundles`, by their paths in it. */
export async function appFiles(name: string): Promise<Record<string, Buffer>> {
  const folder = join(FOLDER, name);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const read = paths.sort().map(async (path) => [relative(folder, path), await readFile(path)] as const);
  return Object.fromEntries(await Promise.all(read));
}

const ZIP = { 'content-type': 'application/zip' };

/** Sends a bundle over HTTP and returns the response. */
export async function sendBundle(device: Device, name: string, archive: Buffer): Promise<HttpAnswer> {
  return await device.http('PUT', `/content/${name}`, { raw: archive, headers: ZIP });
}

/** Stores a bundle over HTTP; resolves when it is in place. */
export async function putBundle(device: Device, name: string, archive: Buffer): Promise<void> {
  const { status, body, bytes } = await sendBundle(device, name, archive);
  if (status !== 202) throw new Error(`PUT of the bundle ${name}: ${status} ${bytes.toString()}`);
  const path = `/operations/${String(field(body, 'operation_id'))}`;
  await waitFor(async () => field(await device.get(path), 'state') === 'done', {
    timeoutMs: 120_000,
    what: `the bundle ${name} to be in place`,
  });
}

/** The entry of a bundle in `GET /content`; undefined when it is not listed. */
export async function listed(device: Device, name: string): Promise<unknown> {
  const bundles = field(await device.get('/content'), 'bundles');
  if (!Array.isArray(bundles)) throw new Error('the list of bundles is none');
  return bundles.find((bundle: unknown) => field(bundle, 'name') === name);
}

/** Deletes all bundles from the device. */
export async function removeBundles(device: Device): Promise<void> {
  const bundles = field(await device.get('/content'), 'bundles');
  if (!Array.isArray(bundles)) throw new Error('the list of bundles is none');
  for (const bundle of bundles) await device.act('DELETE', `/content/${String(field(bundle, 'name'))}`);
}
