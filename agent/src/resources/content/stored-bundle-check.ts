/** Checks a stored archive: everything that an upload checks, and that it is still the archive that was uploaded. */
import type { FileHandle } from 'node:fs/promises';
import { HashingSource } from './file-hash.ts';
import type { Description } from './sidecar.ts';
import { readDirectory } from './zip/directory.ts';
import { fileSource } from './zip/source.ts';
import { verifyBundle } from './zip/verify.ts';
import { ZipError } from './zip/zip-entry.ts';

/** The problem of an archive that has the right size but the wrong hash. */
export const WRONG_HASH = 'The archive is not the one that was uploaded: its SHA-256 differs.';

export interface CheckResult {
  ok: boolean;
  /** When not ok, the reason. */
  message: string;
}

/** Reads the whole archive and reports whether it is intact. */
export function checkArchive(
  handle: FileHandle,
  description: Description,
  signal: AbortSignal,
): Promise<CheckResult> {
  return resultOf(async () => {
    await requireSize(handle, description);
    const source = new HashingSource(fileSource(handle, description.size));
    const entries = await verifyBundle(source, { signal });
    if ((await source.sha256(signal)) !== description.sha256) throw new ZipError(WRONG_HASH);
    return `The bundle is whole: ${entries.size} entries, ${description.size} bytes.`;
  }, signal);
}

/** Checks only the size and the directory of an archive, which is quick enough before a bundle is displayed. */
export function quickCheckArchive(handle: FileHandle, description: Description): Promise<CheckResult> {
  return resultOf(async () => {
    await requireSize(handle, description);
    const entries = await readDirectory(fileSource(handle, description.size));
    if (!entries.has('index.html')) throw new ZipError('There is no index.html at the root of the archive.');
    return 'The directory of the archive is valid.';
  });
}

/** The result for a file that cannot be opened or read. */
export function unreadable(error: NodeJS.ErrnoException): CheckResult {
  const message =
    error.code === 'ENOENT'
      ? 'The file of the bundle is missing.'
      : `The file cannot be read: ${error.code}.`;
  return { ok: false, message };
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

async function resultOf(check: () => Promise<string>, signal?: AbortSignal): Promise<CheckResult> {
  try {
    return { ok: true, message: await check() };
  } catch (error) {
    if (signal?.aborted) throw error;
    if (error instanceof ZipError) return { ok: false, message: error.message };
    if (isSystemError(error)) return unreadable(error);
    throw error;
  }
}

async function requireSize(handle: FileHandle, { size }: Description): Promise<void> {
  const found = (await handle.stat()).size;
  if (found !== size) throw new ZipError(`The archive has ${found} bytes instead of ${size}.`);
}
