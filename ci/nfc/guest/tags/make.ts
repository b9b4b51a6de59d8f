import { Card, Type4Tag } from './iso-dep.ts';
import type { Tag } from './tag.ts';
import { MEMORIES, Type2Tag } from './type2.ts';

export const TAG_KINDS = ['ntag213', 'ntag215', 'ntag216', 'ultralight', 'type4', 'card', 'classic'] as const;
export type TagKind = (typeof TAG_KINDS)[number];

export interface TagOptions {
  kind: TagKind;
  /** Hexadecimal; `random`: of ISO 14443-4 tags, another one each time that the tag gets power. */
  uid: string;
  /** The NDEF message, hexadecimal. */
  ndef?: string;
  /** It cannot be written any more. */
  isLocked?: boolean;
  /** Not formatted for NDEF. */
  isBlank?: boolean;
  /** Size of the NDEF file of a type 4 tag, in bytes. */
  fileBytes?: number;
}

/** A MIFARE Classic 1K of whose keys no reader here knows any: it is found, and answers nothing else. */
class ClassicTag implements Tag {
  readonly uid: Buffer;
  readonly atqa = Buffer.from([0x00, 0x04]);
  readonly sak = 0x08;
  readonly ats = undefined;

  constructor(uid: Buffer) {
    this.uid = uid;
  }

  reset(): void {}

  activate(): void {}

  exchange(): undefined {
    return undefined;
  }

  content(): undefined {
    return undefined;
  }
}

export function makeTag({ kind, uid: text, ndef: message, isLocked, isBlank, fileBytes }: TagOptions): Tag {
  const ndef = message === undefined ? undefined : Buffer.from(message, 'hex');
  const uid = text === 'random' ? undefined : Buffer.from(text, 'hex');
  if (kind === 'type4') return new Type4Tag({ uid, ndef, fileBytes, isReadOnly: isLocked });
  if (kind === 'card') return new Card(uid);
  if (!uid) throw new Error(`a tag of the kind ${kind} has a fixed id`);
  if (kind === 'classic') return new ClassicTag(uid);
  if (!(kind in MEMORIES) || uid.length !== 7) throw new Error(`${kind} with the id ${text} does not exist`);
  return new Type2Tag({ memory: kind, uid, ndef, isLocked, isBlank });
}
