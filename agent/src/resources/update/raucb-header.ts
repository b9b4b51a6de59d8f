import { ApiError } from '../../contract/errors.ts';
import { bundleInvalid } from '../content/schema.ts';

/** How many bytes `checkHeader` needs: up to the size in the superblock of squashfs. */
export const HEADER_BYTES = 48;
const MAGIC = Buffer.from('hsqs');
/** Where the superblock has the size of the file system in bytes, as a little-endian 64-bit number. */
const SIZE_OFFSET = 40;

/**
 * Checks the beginning of a bundle, which is a squashfs file system with hash tree and signature behind it, so that
 * something else is refused before all of it has been sent.
 * @param start fewer than HEADER_BYTES bytes while no more have arrived
 * @param announced length of the bundle in bytes, if known
 * @throws ApiError `bundle_invalid`
 */
export function checkHeader(start: Buffer, announced: number | undefined): void {
  const seen = start.subarray(0, MAGIC.length);
  if (!seen.equals(MAGIC.subarray(0, seen.length))) {
    throw new ApiError(bundleInvalid, 'The file is not an update bundle.');
  }
  if (start.length < HEADER_BYTES || announced === undefined) return;
  const size = start.readBigUInt64LE(SIZE_OFFSET);
  if (size >= BigInt(announced)) {
    throw new ApiError(
      bundleInvalid,
      `The bundle is incomplete: its payload has ${size} bytes, but ${announced} were announced.`,
    );
  }
}
