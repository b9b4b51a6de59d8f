/** What is said of a stored archive: the same checks as at its upload, and that it still is what was uploaded. */
import type { FileHandle } from 'node:fs/promises';
import { HashingSource } from './file-hash.ts';
import type { Description } from './sidecar.ts';
import { readDirectory } from './zip/directory.ts';
import { fileSource } from './zip/source.ts';
import { verifyBundle } from './zip/verify.ts';
import { ZipError } from './zip/zip-error.ts';

/** Why an archive of the right size is not whole, whatever its directory says. */
export const OTHER_BYTES = 'The archive is not the one that was uploaded: its SHA-256 is another.';

export interface CheckResult {
  ok: boolean;
  /** When not ok, the reason. */
  message: string;
}

/** Reads all of an archive and tells whether it is whole. */
export function checkArchive(
  handle: FileHandle,
  description: Description,
  signal: AbortSignal,
): Promise<CheckResult> {
  return told(async () => {
    await requireSize(handle, description);
    const source = new HashingSource(fileSource(handle, description.size));
    const entries = await verifyBundle(source, { signal });
    if ((await source.sha256(signal)) !== description.sha256) {
      throw new ZipError(OTHER_BYTES);
    }
    return `The bundle is whole: ${entries.size} entries, ${description.size} bytes.`;
  }, signal);
}

/** Looks at an archive's size and directory only, so that it costs little before a bundle is displayed. */
export function glanceAtArchive(handle: FileHandle, description: Description): Promise<CheckResult> {
  return told(async () => {
    await requireSize(handle, description);
    const entries = await readDirectory(fileSource(handle, description.size));
    if (!entries.has('index.html')) throw new ZipError('There is no index.html at the root of the archive.');
    return 'The directory of the archive is in order.';
  });
}

/** What the system says of a file that cannot be opened or read. */
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

async function told(look: () => Promise<string>, signal?: AbortSignal): Promise<CheckResult> {
  try {
    return { ok: true, message: await look() };
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
