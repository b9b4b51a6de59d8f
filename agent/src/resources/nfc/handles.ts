/** Tag handles: text that only this agent can make, so that one that was issued long ago is known as such. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import type { Records } from '../../base/limited-log.ts';
import { readRegularFile } from '../../base/regular-file.ts';

const KEY_BYTES = 32;
/** Two tags never get the same handle: 96 bits repeat by chance after 2^48 of them. */
const RANDOM_BYTES = 12;
/** Of the HMAC (RFC 2104 allows half of SHA-256's 32 bytes; a guess has a chance of 2^-128). */
const SEAL_BYTES = 16;

/** Issues handles, and knows those that were issued for a reader, also before the agent's last start. */
export class HandleIssuer {
  readonly #key: Buffer;
  readonly #random: () => Buffer;

  /** @param random 12 bytes, for tests */
  constructor(key: Buffer, random: () => Buffer = () => randomBytes(RANDOM_BYTES)) {
    this.#key = key;
    this.#random = random;
  }

  /** A handle that was not issued before. */
  issue(reader: string): string {
    const random = this.#random();
    return Buffer.concat([random, this.#seal(reader, random)]).toString('base64url');
  }

  /** Whether this handle was issued for this reader. */
  wasIssued(reader: string, handle: string): boolean {
    const bytes = Buffer.from(handle, 'base64url');
    // The decoder ignores what is not base64url, and unused bits.
    if (bytes.length !== RANDOM_BYTES + SEAL_BYTES || bytes.toString('base64url') !== handle) return false;
    const seal = this.#seal(reader, bytes.subarray(0, RANDOM_BYTES));
    return timingSafeEqual(seal, bytes.subarray(RANDOM_BYTES));
  }

  #seal(reader: string, random: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(random).update(reader).digest().subarray(0, SEAL_BYTES);
  }
}

/**
 * Reads the key of the handles, or makes one. If it cannot be stored, the handles of this run are unknown after the next
 * start (404 instead of 409).
 */
export async function handleKey(path: string, log: Pick<Records, 'warn'>): Promise<Buffer> {
  const stored = await readRegularFile(path, KEY_BYTES).catch((error: unknown) => {
    log.warn({ err: error }, 'the key of the tag handles cannot be read; a new one is made');
    return undefined;
  });
  if (stored?.length === KEY_BYTES) return stored;
  const key = randomBytes(KEY_BYTES);
  await writeFileAtomic(path, key, 0o600).catch((error: unknown) => {
    log.warn({ err: error }, 'the key of the tag handles cannot be stored');
  });
  return key;
}
