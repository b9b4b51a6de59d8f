/** Bodies and disks for the tests of uploads. */
import { Readable } from 'node:stream';
import { ApiError } from '../../../contract/errors.ts';
import type { DiskSpace } from '../../../uploads/ports.ts';

export const MIB = 1024 * 1024;
/** For `waitFor`. */
export const SOON = { timeoutMs: 60_000, intervalMs: 5 };

/** A body that sends its first bytes; push the rest. */
export function partialBody(first: Buffer): Readable {
  const body = new Readable({ read: () => undefined });
  body.push(first);
  return body;
}

export async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

/** A disk with space for so many bytes, and the reservations that were asked for. */
export function diskOf(bytes: number): DiskSpace & { asked: number[] } {
  const reserved = new Map<string, number>();
  const asked: number[] = [];
  return {
    asked,
    reserve: async (path, wanted) => {
      asked.push(wanted);
      const others = [...reserved].filter(([other]) => other !== path);
      const taken = others.reduce((sum, [, size]) => sum + size, 0);
      if (taken + wanted > bytes) throw new ApiError('insufficient_storage');
      reserved.set(path, wanted);
    },
    free: async () => ({ free_bytes: bytes, total_bytes: bytes }),
  };
}
