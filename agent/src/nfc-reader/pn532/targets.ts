import { ReaderError } from '../errors.ts';
import { kindOf } from '../field.ts';

/** A tag that the chip activated. */
export interface ListedTarget {
  /** The chip's number for it, 1 or 2. */
  readonly number: number;
  readonly atqa: Buffer;
  readonly sak: number;
  readonly uid: Buffer;
}

const MAX_TARGETS = 2;
/** Lengths of a UID of one, two and three cascade levels (ISO/IEC 14443-3). */
const UID_BYTES = [4, 7, 10];
/** Number, SENS_RES, SEL_RES, length of the UID. */
const HEAD_BYTES = 5;

/**
 * Reads the answer to InListPassiveTarget at 106 kbit/s type A (UM0701-02, section 7.3.5). Pure.
 * @throws ReaderError when it is malformed
 */
export function parseTargets(answer: Buffer): ListedTarget[] {
  const count = answer.length > 0 ? answer.readUInt8(0) : -1;
  if (count < 0 || count > MAX_TARGETS) throw malformed();
  const targets: ListedTarget[] = [];
  let at = 1;
  for (let index = 0; index < count; index++) {
    if (answer.length < at + HEAD_BYTES) throw malformed();
    const sak = answer.readUInt8(at + 3);
    const uidBytes = answer.readUInt8(at + 4);
    const end = at + HEAD_BYTES + uidBytes;
    if (!UID_BYTES.includes(uidBytes) || answer.length < end) throw malformed();
    targets.push({
      number: answer.readUInt8(at),
      atqa: Buffer.from(answer.subarray(at + 1, at + 3)),
      sak,
      uid: Buffer.from(answer.subarray(at + HEAD_BYTES, end)),
    });
    at = end;
    if (kindOf(sak) !== 'type4') continue;
    // The ATS, whose first byte is its length with itself.
    const atsBytes = answer.length > at ? answer.readUInt8(at) : 0;
    if (atsBytes < 1 || answer.length < at + atsBytes) throw malformed();
    at += atsBytes;
  }
  return targets;
}

function malformed(): ReaderError {
  return new ReaderError('The reader sent a malformed list of tags.');
}
