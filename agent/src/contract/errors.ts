import { errorCode } from '../base/system-error.ts';

/**
 * All error codes (docs/api.md: Errors). A code never changes its meaning; a minor release may add codes.
 */
export const ERRORS = {
  bad_request: { status: 400, message: 'The request does not fit the contract.' },
  forbidden: { status: 403, message: 'Requests from this origin are not allowed.' },
  not_found: { status: 404, message: 'There is no such resource.' },
  method_not_allowed: { status: 405, message: 'The resource does not have this method.' },
  conflict: { status: 409, message: 'The request conflicts with the current state.' },
  payload_too_large: { status: 413, message: 'The body is larger than the limit.' },
  unsupported_media_type: { status: 415, message: 'The content type is not accepted here.' },
  too_many_requests: { status: 429, message: 'Too many requests are in flight on this link.' },
  internal: { status: 500, message: 'Unexpected failure inside the agent.' },
  not_implemented: { status: 501, message: 'This firmware build does not have the endpoint wired.' },
  unavailable: { status: 503, message: 'The capability has no usable backend on this device now.' },
  insufficient_storage: { status: 507, message: 'There is no room left on the data partition.' },
  content_not_found: { status: 404, message: 'No bundle has that name.' },
  bundle_in_use: { status: 409, message: 'The bundle is on the screen.' },
  bundle_invalid: { status: 400, message: 'The archive is not a valid bundle.' },
  screen_not_found: { status: 400, message: 'There is no such screen.' },
  script_error: { status: 400, message: 'The script threw, or its value cannot be carried as JSON.' },
  script_timeout: { status: 504, message: 'The script did not finish in time.' },
  page_channel_closed: { status: 409, message: 'The displayed page has not opened its channel.' },
  confirm_mismatch: { status: 400, message: 'The confirmation is not the device serial.' },
  nfc_disabled: { status: 503, message: 'NFC is switched off in the configuration.' },
  invalid_state: { status: 409, message: 'The tag handle is no longer valid.' },
  nfc_tag_unsupported: { status: 409, message: 'The tag cannot do this operation.' },
  wifi_unsupported: { status: 503, message: 'The board has no Wi-Fi radio.' },
  wifi_disabled: { status: 503, message: 'Wi-Fi is switched off in the configuration.' },
  bluetooth_unsupported: { status: 503, message: 'The board has no Bluetooth radio.' },
  bluetooth_disabled: { status: 503, message: 'Bluetooth is switched off in the configuration.' },
  operation_not_found: { status: 404, message: 'There is no such operation, or it has expired.' },
  bad_frame: { status: 400, message: 'The line is not a frame of this protocol.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** The body of every answer that is not 2xx, on every link (docs/api.md: Errors). */
export interface ErrorEnvelope {
  error: { code: ErrorCode; message: string; details?: Record<string, unknown> };
}

/** An error of the contract; its code determines the HTTP status. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string = ERRORS[code].message, details?: Record<string, unknown>) {
    super(message.toWellFormed()); // quoted text may have been cut inside a character
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return ERRORS[this.code].status;
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
