/** Sentences for what went wrong. */
import { RequestError } from '../../../client/client.ts';
import { type TextKey, t } from './texts.ts';

/** Codes of the device that have their own sentence in the user's language. */
const SENTENCES: Readonly<Record<string, TextKey>> = {
  bundle_in_use: 'error.bundle_in_use',
  bundle_invalid: 'error.bundle_invalid',
  conflict: 'error.conflict',
  content_not_found: 'error.content_not_found',
  forbidden: 'error.forbidden',
  insufficient_storage: 'error.insufficient_storage',
  internal: 'error.internal',
  not_found: 'error.not_found',
  not_implemented: 'error.not_implemented',
  payload_too_large: 'error.payload_too_large',
  too_many_requests: 'error.too_many_requests',
  unavailable: 'error.unavailable',
};

/** What went wrong. */
export interface Failure {
  /** A sentence in the user's language: what happened and what to do. */
  readonly sentence: string;
  /** The device's own words, in English; undefined for none. */
  readonly detail: string | undefined;
}

/** Explains anything that was thrown by a request or an action. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ActionError) return error.failure;
  if (error instanceof RequestError) {
    const key = SENTENCES[error.code ?? ''];
    const detail = messageOf(error);
    return { sentence: key ? t(key) : t('error.refused'), detail };
  }
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError') return { sentence: t('error.timeout'), detail: undefined };
  if (name === 'AbortError') return { sentence: t('error.aborted'), detail: undefined };
  return { sentence: t('error.offline'), detail: undefined };
}

/** Whether a request was refused because the device has no such part, or it does not work now. */
export function isAbsence(error: unknown): boolean {
  return error instanceof RequestError && (error.code === 'unavailable' || error.code === 'not_implemented');
}

/** An action that the device has accepted and that did not have its result. */
export class ActionError extends Error {
  readonly failure: Failure;

  constructor(sentence: string, detail?: string) {
    super(sentence);
    this.failure = { sentence, detail };
  }
}

/** The issues of a request, else the words in brackets at the end of the error. */
function messageOf({ message, details }: RequestError): string | undefined {
  const issues = Array.isArray(details?.issues) ? details.issues : [];
  const texts = issues.slice(0, 5).flatMap((issue: unknown) => issueText(issue));
  return texts.length > 0 ? texts.join('; ') : /\((.+)\)$/s.exec(message)?.[1];
}

function issueText(issue: unknown): string[] {
  if (typeof issue !== 'object' || issue === null) return [];
  const { path, message }: { path?: unknown; message?: unknown } = issue;
  return typeof message === 'string' ? [path ? `${String(path)} ${message}` : message] : [];
}
