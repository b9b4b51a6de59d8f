import type { Endpoint } from './endpoint.ts';
import { ERRORS, type ErrorCode } from './errors.ts';

/** Codes of an endpoint in addition to those that it declares. */
function commonCodes(endpoint: Endpoint): ErrorCode[] {
  // Every endpoint refuses unknown parameters.
  const codes: ErrorCode[] = ['bad_request', 'forbidden', 'too_many_requests', 'internal'];
  // A body is read and must be JSON even where the endpoint has none.
  if (endpoint.method !== 'GET') {
    codes.push('payload_too_large', endpoint.upload?.wrongType ?? 'unsupported_media_type');
  }
  return codes;
}

/** Every error code that an endpoint can answer, in the order of the error table. */
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<string>([...endpoint.errors, ...commonCodes(endpoint)]);
  return Object.keys(ERRORS).filter((code): code is ErrorCode => codes.has(code));
}
