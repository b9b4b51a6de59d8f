/** Reads attributes in sysfs and configfs. Devices vanish at any time: then there is nothing to read. */
import { open } from 'node:fs/promises';

/** Longest text of an attribute, in bytes. */
const MAX_TEXT_BYTES = 4096;
/** Longest string of a device that is kept, in characters. USB allows 126, HID 127. */
const MAX_STRING = 128;

/** @returns undefined if it cannot be read, or has more than `maxBytes` */
export async function readAttributeBytes(path: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    await using file = await open(path);
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    // A read of sysfs returns at most a page.
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return length <= maxBytes ? buffer.subarray(0, length) : undefined;
  } catch {
    return undefined;
  }
}

/** @returns the text without the spaces around it; undefined if it cannot be read */
export async function readAttribute(path: string): Promise<string | undefined> {
  return (await readAttributeBytes(path, MAX_TEXT_BYTES))?.toString().trim();
}

/** @returns a string that a device says of itself; null if it has none */
export async function readString(path: string): Promise<string | null> {
  return deviceString(await readAttribute(path));
}

/** A string that a device says of itself, at most 128 characters; null if it is empty. */
export function deviceString(text: string | undefined): string | null {
  return text?.slice(0, MAX_STRING).toWellFormed() || null;
}

/** @returns a number from 0 to 65535; null if there is none */
export async function readNumber(path: string, base: 10 | 16): Promise<number | null> {
  const text = (await readAttribute(path)) ?? '';
  const value = /^(?:0x)?[0-9a-f]{1,6}$/i.test(text) ? Number.parseInt(text, base) : Number.NaN;
  return value <= 0xffff ? value : null;
}
