/**
 * The sidecar `<name>.json` beside a bundle `<name>.zip`: what the archive is, without reading all of it.
 *
 * Two files cannot be replaced at once, so a replacement goes in three durable steps: the sidecar describes the
 * archive that is there and, as `next`, the one to come; the archive is renamed into place; the sidecar describes the
 * new one alone. Cut anywhere, the sidecar describes the archive that is there.
 */
import { readFile, stat } from 'node:fs/promises';
import { writeFileAtomic } from '../../base/atomic-file.ts';

/** No sidecar that this program wrote comes near. */
const MAX_BYTES = 64 * 1024;
const SHA256 = /^[0-9a-f]{64}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** What is known of an archive. */
export interface Description {
  sha256: string;
  /** In bytes. */
  size: number;
  /** When it was stored: ISO 8601 UTC with milliseconds. */
  created: string;
}

export interface Sidecar extends Description {
  /** The archive that was about to take the place. */
  next?: Description;
}

/** Undefined when there is none, or none that can be used. */
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
 * Which descriptions of a sidecar may be the one of an archive of this size. With none the archive is damaged; with two
 * its hash decides.
 */
export function candidates({ next, ...current }: Sidecar, size: number): Description[] {
  const fitting = [current, ...(next ? [next] : [])].filter((one) => one.size === size);
  return fitting[0]?.sha256 === fitting[1]?.sha256 ? fitting.slice(0, 1) : fitting;
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
