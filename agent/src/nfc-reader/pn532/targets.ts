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
 *
 * The last part of an ISO-DEP tag's entry, its ATS, comes from the tag, which can send anything or nothing. A reader is
 * not faulty because of it: the tag counts, and an entry that cannot be found behind it does not.
 * @throws ReaderError when it is malformed
 */
export function parseTargets(answer: Buffer): ListedTarget[] {
  const count = answer.length > 0 ? answer.readUInt8(0) : -1;
  if (count < 0 || count > MAX_TARGETS) throw malformed();
  const targets: ListedTarget[] = [];
  let at = 1;
  while (targets.length < count) {
    const entry = parseTarget(answer.subarray(at));
    if (!entry && targets.length === 0) throw malformed();
    if (!entry || targets.some(({ number }) => number === entry.target.number)) break;
    targets.push(entry.target);
    at += entry.bytes;
  }
  return targets;
}

/** @returns undefined when it is malformed */
function parseTarget(entry: Buffer): { target: ListedTarget; bytes: number } | undefined {
  if (entry.length < HEAD_BYTES) return undefined;
  const sak = entry.readUInt8(3);
  const uidBytes = entry.readUInt8(4);
  const end = HEAD_BYTES + uidBytes;
  if (!UID_BYTES.includes(uidBytes) || entry.length < end) return undefined;
  const target = {
    number: entry.readUInt8(0),
    atqa: Buffer.from(entry.subarray(1, 3)),
    sak,
    uid: Buffer.from(entry.subarray(HEAD_BYTES, end)),
  };
  // The first byte of the ATS is its length with itself.
  const atsBytes = kindOf(sak) === 'type4' && entry.length > end ? entry.readUInt8(end) : 0;
  return { target, bytes: end + atsBytes };
}

function malformed(): ReaderError {
  return new ReaderError('The reader sent a malformed list of tags.');
}
