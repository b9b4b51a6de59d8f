import { errorCode } from '../base/system-error.ts';

/** An error code of the contract. A code never changes its meaning; a minor release may add codes. */
export interface ErrorDefinition<C extends string = string> {
  readonly code: C;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Default text of the answer. */
  readonly message: string;
}

/** Declares an error code of a resource, in its schema.ts. */
export function defineError<const C extends string>(
  code: C,
  status: number,
  message: string,
): ErrorDefinition<C> {
  return { code, status, message };
}

/** The codes that no single resource owns (docs/api.md: Errors). */
const COMMON = {
  bad_request: [400, 'The request does not fit the contract.'],
  forbidden: [403, 'Requests from this origin are not allowed.'],
  not_found: [404, 'There is no such resource.'],
  method_not_allowed: [405, 'The resource does not have this method.'],
  conflict: [409, 'The request conflicts with the current state.'],
  payload_too_large: [413, 'The body is larger than the limit.'],
  unsupported_media_type: [415, 'The content type is not accepted here.'],
  too_many_requests: [429, 'Too many requests are in flight on this link.'],
  internal: [500, 'Unexpected failure inside the agent.'],
  not_implemented: [501, 'This firmware build does not implement this endpoint.'],
  unavailable: [503, 'The capability has no usable backend on this device now.'],
  insufficient_storage: [507, 'There is no room left on the data partition.'],
  bad_frame: [400, 'The line is not a frame of this protocol.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type CommonCode = keyof typeof COMMON;
/** A common code by its name, or one that a resource declares. */
export type ErrorRef = CommonCode | ErrorDefinition;

export function errorDefinition(error: ErrorRef): ErrorDefinition {
  if (typeof error !== 'string') return error;
  const [status, message] = COMMON[error];
  return { code: error, status, message };
}

const codes = Object.keys(COMMON).filter((code): code is CommonCode => code in COMMON);
export const commonErrors: readonly ErrorDefinition[] = codes.map(errorDefinition);

/** The body of every answer that is not 2xx, on every link (docs/api.md: Errors). */
export interface ErrorEnvelope {
  error: { code: string; message: string; details?: Record<string, unknown> };
}

/** An error of the contract; its code determines the HTTP status. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Record<string, unknown> | undefined;

  /** @param message replaces the default text of the code */
  constructor(error: ErrorRef, message?: string, details?: Record<string, unknown>) {
    const { code, status, message: text } = errorDefinition(error);
    super((message ?? text).toWellFormed()); // quoted text may have been cut inside a character
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.details = details;
  }

  get envelope(): ErrorEnvelope {
    const { code, message, details } = this;
    return { error: details === undefined ? { code, message } : { code, message, details } };
  }
}

/** Storage failures that neither the request nor the agent caused, by system error code. */
const STORAGE_FAILURES: Readonly<Record<string, string>> = {
  EROFS: 'The data partition is read-only: nothing can be stored.',
  EIO: 'The data partition could not be read or written: its medium reports an input/output error.',
};

/** The API error for a full, read-only or defective disk; any other error unchanged. */
export function storageError(error: unknown): unknown {
  const code = errorCode(error) ?? '';
  if (code === 'ENOSPC' || code === 'EDQUOT') return new ApiError('insufficient_storage');
  const message = STORAGE_FAILURES[code];
  return message === undefined ? error : new ApiError('unavailable', message);
}
