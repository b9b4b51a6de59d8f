import { unsupported } from '../errors.ts';
import type { FieldTag } from '../field.ts';
import { NdefFound, type WriteProgress } from './progress.ts';
import { readType2, writeType2 } from './type2.ts';
import { readType4, writeType4 } from './type4.ts';

/**
 * Reads the NDEF message of a tag of type 2 or 4.
 * @param found gets what is known, also when this rejects
 * @throws TagError, ReaderError, as when the tag leaves half-way
 */
export async function readNdef(tag: FieldTag, found = new NdefFound()): Promise<NdefFound> {
  if (tag.kind === 'type2') await readType2(tag, found);
  if (tag.kind === 'type4') await readType4(tag, found);
  return found;
}

/**
 * Replaces the NDEF message of a tag and reads it back: first the length 0, then the data, then the length, so that a
 * tag that leaves half-way is empty.
 * @param progress says what the tag contains if this rejects
 * @throws CommandError `unsupported`, with nothing written, when the tag is not formatted, read-only or too small;
 *   `failed` when the tag contains something else than what was written; TagError, ReaderError
 */
export async function writeNdef(tag: FieldTag, message: Buffer, progress: WriteProgress): Promise<void> {
  if (tag.kind === 'type2') await writeType2(tag, message, progress);
  else if (tag.kind === 'type4') await writeType4(tag, message, progress);
  else throw unsupported('This kind of tag cannot hold NDEF messages.');
}
