import { CommandError, TagError, unsupported } from '../errors.ts';
import type { FieldTag } from '../field.ts';
import { NdefFound, type WriteProgress } from './progress.ts';
import {
  answerData,
  CC_BYTES,
  CC_FILE,
  type NdefFile,
  NLEN_BYTES,
  parseCapabilityFile,
  readBinary,
  SELECT_APPLICATION,
  selectFile,
  updateBinary,
} from './type4-files.ts';

/** @throws TagError, ReaderError */
export async function readType4(tag: FieldTag, found: NdefFound): Promise<void> {
  const file = await selectNdefFile(tag);
  found.isFormatted = file !== undefined;
  if (file?.isReadable) found.message = await readSelected(tag, file, found);
}

/** @throws CommandError, TagError, ReaderError */
export async function writeType4(tag: FieldTag, message: Buffer, progress: WriteProgress): Promise<void> {
  const file = await selectNdefFile(tag);
  if (!file) throw unsupported('The tag has no NDEF application.');
  if (!file.isWritable || !file.isReadable) throw unsupported('The tag is read-only.');
  const room = file.size - NLEN_BYTES;
  if (message.length > room) {
    throw unsupported(`The message has ${message.length} bytes, and the tag takes ${room}.`);
  }
  await progress.step('empty', () => update(tag, 0, lengthOf(0)));
  for (let at = 0; at < message.length; at += file.writeBytes) {
    progress.checkTime();
    // The length stays 0: the state does not change.
    await update(tag, NLEN_BYTES + at, message.subarray(at, at + file.writeBytes));
  }
  await progress.step('written', () => update(tag, 0, lengthOf(message.length)));

  const written = await readSelected(tag, file, new NdefFound());
  if (!message.equals(written ?? Buffer.alloc(0))) {
    progress.state = 'unknown';
    throw new CommandError('failed', 'The tag contains something else than what was written to it.');
  }
}

/** Selects the NDEF application and its file. @returns undefined when the tag has none */
async function selectNdefFile(tag: FieldTag): Promise<NdefFile | undefined> {
  if (!answerData(await tag.apdu(SELECT_APPLICATION, true))) return undefined;
  if (!answerData(await tag.apdu(selectFile(CC_FILE), true))) return undefined;
  const cc = answerData(await tag.apdu(readBinary(0, CC_BYTES), true));
  const file = cc && parseCapabilityFile(cc);
  if (!file || !answerData(await tag.apdu(selectFile(file.id), true))) return undefined;
  return file;
}

/** Reads the message of the selected file. @returns undefined when it is empty */
async function readSelected(tag: FieldTag, file: NdefFile, found: NdefFound): Promise<Buffer | undefined> {
  const head = await read(tag, 0, NLEN_BYTES);
  const length = head.readUInt16BE(0);
  if (length === 0 || NLEN_BYTES + length > file.size) return undefined;
  const parts: Buffer[] = [];
  for (let at = 0; at < length; at += file.readBytes) {
    found.checkTime();
    parts.push(await read(tag, NLEN_BYTES + at, Math.min(file.readBytes, length - at)));
  }
  return Buffer.concat(parts);
}

/** @throws TagError when the tag sends another number of bytes */
async function read(tag: FieldTag, offset: number, length: number): Promise<Buffer> {
  const data = answerData(await tag.apdu(readBinary(offset, length), true));
  if (data?.length !== length) throw new TagError('The tag did not let its NDEF file be read.');
  return data;
}

/** @throws TagError when the tag refuses */
async function update(tag: FieldTag, offset: number, data: Buffer): Promise<void> {
  if (!answerData(await tag.apdu(updateBinary(offset, data), true))) {
    throw new TagError('The tag refused to have its NDEF file written.');
  }
}

function lengthOf(bytes: number): Buffer {
  return Buffer.of(bytes >> 8, bytes & 0xff);
}
