/** What can be told of an update bundle before it is sent. Its signature is verified by the device. */

/** What is wrong with a file. `unreadable`: the browser cannot read it. */
export type BundleFault = 'not_bundle' | 'cut_off' | 'unreadable';

/** What a bundle says of itself; undefined if it does not say it. */
export interface BundleFacts {
  readonly version: string | undefined;
  /** Name of the boards that it is for. */
  readonly compatible: string | undefined;
}

export type CheckedBundle =
  | { readonly fault: BundleFault; readonly facts?: undefined }
  | { readonly fault?: undefined; readonly facts: BundleFacts };

/** Of squashfs: `hsqs`, and behind it the size of the file system in bytes, a little-endian 64-bit number. */
const MAGIC = [0x68, 0x73, 0x71, 0x73];
const SIZE_OFFSET = 40;
const HEADER_BYTES = 48;
/** At the end: the size of the signature in bytes, a big-endian 64-bit number. */
const TAIL_BYTES = 8;
/** RAUC allows 64 KiB. */
const MAX_SIGNATURE_BYTES = 1024 * 1024;
/** Longest value of a manifest that is shown, in characters. */
const MAX_VALUE = 64;

/**
 * Checks a bundle of RAUC: a squashfs file system, its hash tree, a signature and the size of the signature (RAUC's
 * reference, "Bundle Formats"). The signature of the format `verity` contains the manifest as text.
 */
export async function checkBundle(file: Blob): Promise<CheckedBundle> {
  try {
    return await check(file);
  } catch {
    return { fault: 'unreadable' };
  }
}

async function check(file: Blob): Promise<CheckedBundle> {
  const head = await viewOf(file.slice(0, HEADER_BYTES));
  if (!MAGIC.every((byte, at) => at < head.byteLength && head.getUint8(at) === byte)) {
    return { fault: 'not_bundle' };
  }
  if (file.size <= HEADER_BYTES + TAIL_BYTES) return { fault: 'cut_off' };
  const tail = await viewOf(file.slice(-TAIL_BYTES));
  const signatureBytes = tail.getBigUint64(0);
  if (signatureBytes === 0n || signatureBytes > MAX_SIGNATURE_BYTES) return { fault: 'cut_off' };
  const end = file.size - TAIL_BYTES;
  const start = end - Number(signatureBytes);
  if (start < HEADER_BYTES || head.getBigUint64(SIZE_OFFSET, true) > BigInt(start))
    return { fault: 'cut_off' };
  const signature = new Uint8Array(await file.slice(start, end).arrayBuffer());
  return { facts: factsIn(new TextDecoder('latin1').decode(signature)) };
}

async function viewOf(part: Blob): Promise<DataView> {
  return new DataView(await part.arrayBuffer());
}

/** Reads the section `[update]` of the manifest in a signature. */
function factsIn(text: string): BundleFacts {
  const section = /\[update\]\n((?:[a-z-]+=[\x20-\x7e]*\n|\n)*)/.exec(text)?.[1] ?? '';
  const field = (name: string) =>
    new RegExp(`^${name}=(.+)$`, 'm').exec(section)?.[1]?.trim().slice(0, MAX_VALUE);
  return { version: field('version'), compatible: field('compatible') };
}
