/** Sentences for inputs that did not reach the screen. */
import { RequestError } from '../../../../client/client.ts';
import { type Failure, failureOf } from '../../app/failure.ts';
import { type TextKey, t } from '../../app/texts.ts';

/** Codes that mean something else here than elsewhere. */
const SENTENCES: Readonly<Record<string, TextKey>> = {
  forbidden: 'remote.failed_forbidden',
  remote_input_disabled: 'remote.failed_off',
  too_many_requests: 'remote.failed_busy',
  unavailable: 'remote.failed_unavailable',
};

/** Explains why an input was not done, or could not be allowed. */
export function inputFailureOf(error: unknown): Failure {
  const failure = failureOf(error);
  const key = error instanceof RequestError ? SENTENCES[error.code ?? ''] : undefined;
  return key ? { ...failure, sentence: t(key) } : failure;
}
