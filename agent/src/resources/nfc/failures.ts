/** Failures of the reader program as errors of the API. */
import { ApiError, type ErrorRef } from '../../contract/errors.ts';
import type { Failure } from './ports.ts';
import { invalidState, nfcTagUnsupported } from './schema.ts';

/** Of requests that use a tag. */
const TAG_ERRORS: Readonly<Record<Failure['code'], ErrorRef>> = {
  no_reader: 'unavailable',
  no_tag: invalidState,
  unsupported: nfcTagUnsupported,
  not_empty: nfcTagUnsupported,
  failed: 'unavailable',
  busy: 'too_many_requests',
  refused: 'unavailable',
  timeout: 'unavailable',
  disconnected: 'unavailable',
};
/** Of requests to a reader: what it does not support, it lacks. */
const READER_ERRORS = { ...TAG_ERRORS, no_tag: 'unavailable', unsupported: 'unavailable' } as const;

/** Whether a command had no effect at all: the reader did not get it. */
export function isNotDone(outcome: { ok: true } | Failure): boolean {
  return !outcome.ok && outcome.code === 'busy';
}

/** @param isWrite whether `details.tag_state` says what the tag contains now */
export function tagFailure(failure: Failure, isWrite: boolean): ApiError {
  const { code, message } = failure;
  const error = TAG_ERRORS[code];
  const isDone = code !== 'busy' && code !== 'unsupported' && code !== 'not_empty';
  if (!isWrite || !isDone) return new ApiError(error, message);
  return new ApiError(error, message, { tag_state: failure.tag_state ?? 'unknown' });
}

export function readerFailure({ code, message }: Failure): ApiError {
  return new ApiError(READER_ERRORS[code], message);
}
