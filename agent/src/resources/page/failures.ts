import { errorCode, errorMessage } from '../../base/system-error.ts';
import { ApiError, type ErrorRef } from '../../contract/errors.ts';
import type { PageFailure } from './ports.ts';

/** The API's errors for some failures of calls to the browser; without a text, with that of the code. */
export type FailureErrors = Readonly<Partial<Record<PageFailure, readonly [ErrorRef, string?]>>>;

/** The API's error for a failed call to the browser; `unavailable` for a failure that `errors` does not have. */
export function pageError(errors: FailureErrors, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const found = Object.entries(errors).find(([failure]) => failure === errorCode(error));
  const [code, message] = found?.[1] ?? ['unavailable', errorMessage(error)];
  return new ApiError(code, message);
}
