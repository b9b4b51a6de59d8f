/** Reads the list of files at the end of a zip archive, without unpacking anything. */
import type { FileContent } from './file-content.ts';

/** A zip archive, as far as its list says. */
export interface Archive {
  /** Paths of files, and of folders with a slash at the end. */
  readonly paths: readonly string[];
  readonly isEncrypted: boolean;
}

const END = 0x06054b50;
const END_BYTES = 22;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END = 0x06064b50;
const ZIP64_END_BYTES = 56;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const MAX_COMMENT_BYTES = 0xffff;
/** Of the list: the limit of the device. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const IS_ENCRYPTED = 1;

/** @returns undefined if it is no zip archive, or is damaged. @throws Error if the file cannot be read */
export async function readArchive(file: FileContent): Promise<Archive | undefined> {
  const place = await findList(file);
  if (!place || place.bytes > MAX_LIST_BYTES || place.start + place.bytes > file.size) return undefined;
  return entriesIn(await bytesOf(file, place.start, place.bytes), place.count);
}

interface Place {
  readonly start: number;
  readonly bytes: number;
  readonly count: number;
}

async function findList(file: FileContent): Promise<Place | undefined> {
  const tailStart = Math.max(0, file.size - END_BYTES - MAX_COMMENT_BYTES);
  const tail = await bytesOf(file, tailStart, file.size - tailStart);
  for (let at = tail.byteLength - END_BYTES; at >= 0; at -= 1) {
    // A comment of just this length follows.
    const fits = at + END_BYTES + tail.getUint16(at + 20, true) === tail.byteLength;
    if (!fits || tail.getUint32(at, true) !== END) continue;
    return (
      (await findWideList(file, tailStart + at)) ?? {
        count: tail.getUint16(at + 10, true),
        bytes: tail.getUint32(at + 12, true),
        start: tail.getUint32(at + 16, true),
      }
    );
  }
  return undefined;
}

/** What large archives have in addition, before the end record at `end`. */
async function findWideList(file: FileContent, end: number): Promise<Place | undefined> {
  if (end < ZIP64_LOCATOR_BYTES + ZIP64_END_BYTES) return undefined;
  const locator = await bytesOf(file, end - ZIP64_LOCATOR_BYTES, ZIP64_LOCATOR_BYTES);
  if (locator.getUint32(0, true) !== ZIP64_LOCATOR) return undefined;
  const position = Number(locator.getBigUint64(8, true));
  if (position > end - ZIP64_LOCATOR_BYTES - ZIP64_END_BYTES) return undefined;
  const record = await bytesOf(file, position, ZIP64_END_BYTES);
  if (record.getUint32(0, true) !== ZIP64_END) return undefined;
  return {
    count: Number(record.getBigUint64(32, true)),
    bytes: Number(record.getBigUint64(40, true)),
    start: Number(record.getBigUint64(48, true)),
  };
}

function entriesIn(list: DataView<ArrayBuffer>, count: number): Archive | undefined {
  const decoder = new TextDecoder();
  const paths: string[] = [];
  let isEncrypted = false;
  let at = 0;
  while (paths.length < count) {
    if (at + ENTRY_BYTES > list.byteLength || list.getUint32(at, true) !== ENTRY) return undefined;
    const nameBytes = list.getUint16(at + 28, true);
    const others = list.getUint16(at + 30, true) + list.getUint16(at + 32, true);
    const end = at + ENTRY_BYTES + nameBytes + others;
    if (end > list.byteLength) return undefined;
    isEncrypted ||= (list.getUint16(at + 8, true) & IS_ENCRYPTED) !== 0;
    paths.push(decoder.decode(new Uint8Array(list.buffer, at + ENTRY_BYTES, nameBytes)));
    at = end;
  }
  return { paths, isEncrypted };
}

async function bytesOf(file: FileContent, start: number, length: number): Promise<DataView<ArrayBuffer>> {
  const { buffer, byteOffset, byteLength } = await file.read(start, start + length);
  return new DataView(buffer, byteOffset, byteLength);
}
