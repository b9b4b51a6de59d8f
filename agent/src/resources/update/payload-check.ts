import { hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { ApiError } from '../../contract/errors.ts';
import type { BundlePayload } from './ports.ts';

/** Size of a block of data and of the hash tree (dm-verity). */
const BLOCK = 4096;
/** Size of a SHA-256 digest. */
const DIGEST = 32;
const CHUNK = 256 * BLOCK;
const TRAILER = 8;
/** Longest salt that RAUC may use, in bytes. */
const MAX_SALT = 256;

/**
 * Compares the payload of a bundle with its signed root hash. The kernel does the same while the bundle is installed
 * (dm-verity), but then the slot, which the device may fall back to, has already been overwritten.
 * @param path the bundle
 * @param payload from the signed manifest, which the update service has verified
 * @throws ApiError `bundle_invalid`; Error of the system; the reason of `signal`
 */
export async function checkPayload(path: string, payload: BundlePayload, signal: AbortSignal): Promise<void> {
  const { treeSize, rootHash } = payload;
  const salt = Buffer.from(payload.salt, 'hex');
  const file = await open(path);
  try {
    const dataSize = (await signatureStart(file)) - treeSize;
    if (dataSize <= 0 || dataSize % BLOCK !== 0 || salt.length > MAX_SALT) throw damaged();
    const salted = Buffer.alloc(salt.length + BLOCK);
    salt.copy(salted);
    const digest = (block: Buffer) => {
      block.copy(salted, salt.length);
      return hash('sha256', salted, 'buffer');
    };
    const read = async (buffer: Buffer, position: number) => {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead < buffer.length) throw damaged();
    };
    let level = await hashLevel(dataSize, digest, async (chunk, at) => read(chunk, at));
    const levels: Buffer[] = [];
    while (level.length > DIGEST) {
      const padded = Buffer.alloc(Math.ceil(level.length / BLOCK) * BLOCK);
      level.copy(padded);
      levels.unshift(padded);
      level = await hashLevel(padded.length, digest, async (chunk, at) => {
        padded.copy(chunk, 0, at);
      });
    }
    if (level.toString('hex') !== rootHash) throw damaged();
    // The kernel reads the tree from the bundle, the level next to the root hash first.
    const tree = Buffer.concat(levels);
    const stored = Buffer.alloc(tree.length);
    await read(stored, dataSize);
    if (!stored.equals(tree)) throw damaged();
  } finally {
    await file.close();
  }
}

/** The digests of all blocks of a level. */
async function hashLevel(
  size: number,
  digest: (block: Buffer) => Buffer,
  read: (chunk: Buffer, position: number) => Promise<void>,
): Promise<Buffer> {
  const digests = Buffer.alloc((size / BLOCK) * DIGEST);
  const chunk = Buffer.alloc(Math.min(CHUNK, size));
  for (let at = 0; at < size; at += CHUNK) {
    const part = chunk.subarray(0, Math.min(CHUNK, size - at));
    await read(part, at);
    for (let offset = 0; offset < part.length; offset += BLOCK) {
      digest(part.subarray(offset, offset + BLOCK)).copy(digests, ((at + offset) / BLOCK) * DIGEST);
    }
  }
  return digests;
}

/** The signature is at the end of the bundle, followed by its size as a big-endian 64-bit number. */
async function signatureStart(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const trailer = Buffer.alloc(TRAILER);
  await file.read(trailer, 0, TRAILER, Math.max(0, size - TRAILER));
  const signature = trailer.readBigUInt64BE();
  if (signature > BigInt(size)) throw damaged();
  return size - TRAILER - Number(signature);
}

function damaged(): ApiError {
  return new ApiError(
    'bundle_invalid',
    'The bundle is damaged: its content does not have the signed checksum.',
  );
}
