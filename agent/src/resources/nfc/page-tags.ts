/** Tags and failures of the reader program as pages see them. Pure. */
import { PageError } from '../page/page-error.ts';
import type { Failure, TagSeen, TagState } from './ports.ts';

/** What a scanning page learns of a tag. */
export type TagReading =
  | {
      event: 'nfc.reading';
      /** The UID as lower-case hexadecimal with colons: `04:a1:b2:c3`. */
      serial_number: string;
      /** The NDEF message in base64; empty if the tag has none, or is not for NDEF. */
      message: string;
    }
  /** A tag that could not be read. */
  | { event: 'nfc.reading_error' };

/** Whether a message can be written to the tag. One that could not be read shows it when it is written. */
export function isForNdef({ techs, unread }: TagSeen): boolean {
  return techs.includes('ndef') || unread === true;
}

/** What a scanning page is told of a tag. */
export function readingOf({ uid, ndef, unread }: TagSeen): TagReading {
  if (unread) return { event: 'nfc.reading_error' };
  const serial_number = (uid.match(/../g) ?? []).join(':').toLowerCase();
  return { event: 'nfc.reading', serial_number, message: ndef ?? '' };
}

/** What a tag contains after a write that failed; undefined if that is what it contained before. */
export function changedState({ code, tag_state = 'unknown' }: Failure): TagState | undefined {
  const isUntouched = code === 'busy' || code === 'unsupported' || code === 'not_empty';
  return isUntouched || tag_state === 'unchanged' ? undefined : tag_state;
}

/** Why a command failed, as pages get it. */
export function failureOf({ code, message }: Failure): PageError {
  if (code === 'unsupported') return new PageError('NotSupportedError', message);
  if (code === 'not_empty') return new PageError('NotAllowedError', message);
  return new PageError('NetworkError', message);
}
