/** A file like a small bundle: superblock and data, hash tree (dm-verity), signature. */
import { hash, randomBytes } from 'node:crypto';
import type { BundlePayload } from '../ports.ts';

export const BLOCK = 4096;
/** So many digests fill one block, which is the whole tree. */
export const BLOCKS = 128;

export interface SmallBundle {
  bytes: Buffer;
  /** What the manifest says of it. */
  payload: BundlePayload;
}

export function smallBundle(): SmallBundle {
  const salt = randomBytes(32);
  const digest = (block: Buffer) => hash('sha256', Buffer.concat([salt, block]), 'buffer');
  const data = randomBytes(BLOCKS * BLOCK);
  data.write('hsqs');
  data.writeBigUInt64LE(BigInt(data.length), 40);
  const blocks = Array.from({ length: BLOCKS }, (_, i) => data.subarray(i * BLOCK, (i + 1) * BLOCK));
  const tree = Buffer.concat(blocks.map(digest));
  return {
    bytes: Buffer.concat([data, tree, Buffer.from('signature\0\0\0\0\0\0\0\x09', 'latin1')]),
    payload: { rootHash: digest(tree).toString('hex'), salt: salt.toString('hex'), treeSize: tree.length },
  };
}
