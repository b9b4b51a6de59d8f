/**
 * The sidecar `<name>.json` of a bundle `<name>.zip` describes the archive, so that it need not be read.
 *
 * Two files cannot be replaced at once, so a replacement takes three durable steps: write a sidecar that describes the
 * current archive and, as `next`, the new one; rename the new archive into place; write a sidecar that describes only
 * the new one. After a power cut at any point the sidecar describes the archive that is in place.
 */
import { readFile, stat } from 'node:fs/promises';
import { writeFileAtomic } from '../../base/atomic-file.ts';

/** Far more than any sidecar that the agent writes. */
const MAX_BYTES = 64 * 1024;
const SHA256 = /^[0-9a-f]{64}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Describes an archive. */
export interface Description {
  sha256: string;
  /** In bytes. */
  size: number;
  /** When it was stored: ISO 8601 UTC with milliseconds. */
  created: string;
}

/** A bundle in the folder. */
export interface StoredBundle extends Description {
  path: string;
  /** Why the archive is damaged, as far as the start or the last check found; only a check reads all of it. */
  damage?: string;
}

export interface Sidecar extends Description {
  /** The archive that was about to replace the current one. */
  next?: Description;
}

/** @returns undefined when the sidecar is missing or unusable */
export async function readSidecar(path: string): Promise<Sidecar | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > MAX_BYTES) return undefined;
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    const current = descriptionOf(value);
    if (!current || typeof value !== 'object' || value === null) return undefined;
    const next = 'next' in value ? descriptionOf(value.next) : undefined;
    return next ? { ...current, next } : current;
  } catch {
    return undefined;
  }
}

export async function writeSidecar(path: string, sidecar: Sidecar): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(sidecar)}\n`);
}

/**
 * The descriptions in a sidecar that match an archive of this size. With none the archive is damaged; with two the
 * hash decides.
 */
export function candidates({ next, ...current }: Sidecar, size: number): Description[] {
  const matching = [current, ...(next ? [next] : [])].filter((one) => one.size === size);
  return matching[0]?.sha256 === matching[1]?.sha256 ? matching.slice(0, 1) : matching;
}

function descriptionOf(value: unknown): Description | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('sha256' in value && 'size' in value && 'created' in value)) return undefined;
  const { sha256, size, created } = value;
  if (typeof sha256 !== 'string' || !SHA256.test(sha256)) return undefined;
  if (typeof created !== 'string' || !TIMESTAMP.test(created)) return undefined;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
  return { sha256, size, created };
}
