import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { writeFileAtomic } from '../../agent/src/base/atomic-file.ts';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { Problem } from '../lib/problem.ts';
import type { Qemu } from './program.ts';

const run = promisify(execFile);

/**
 * Creates a copy-on-write disk on top of `base`, which is never written.
 * @param format format of `base`
 * @param size its size in bytes; default: that of `base`
 */
export async function makeOverlay(
  { image }: Qemu,
  path: string,
  base: string,
  format: 'raw' | 'qcow2' = 'raw',
  size?: number,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  try {
    const args = [...image.args, 'create', '-q', '-f', 'qcow2', '-F', format, '-b', base, path];
    const sized = size === undefined ? args : [...args, String(size)];
    await run(image.file, sized, { env: image.env, timeout: 60_000 });
  } catch (error) {
    throw new Problem(`the machine's disk could not be created: ${errorMessage(error)}`);
  }
}

/**
 * Prepares a machine's own disk. It is kept between starts, and created when it does not exist, when `fresh` is set or
 * when the image has changed, because an overlay is only valid for its base.
 * @param imageId identifies the built image
 * @returns what was done
 */
export async function keepOverlay(
  qemu: Qemu,
  path: string,
  base: string,
  imageId: string,
  fresh: boolean,
): Promise<'kept' | 'new' | 'image changed'> {
  const stamp = `${path}.image`;
  const madeFrom = await readFile(stamp, 'utf8').catch(() => undefined);
  const there = await stat(path).then(
    () => true,
    () => false,
  );
  const wanted = `${imageId} ${base}`;
  if (there && !fresh && madeFrom === wanted) return 'kept';
  await makeOverlay(qemu, path, base);
  await writeFileAtomic(stamp, wanted);
  return there && !fresh ? 'image changed' : 'new';
}
