import type { Endpoint } from './endpoint.ts';
import { type ErrorDefinition, type ErrorRef, errorDefinition } from './errors.ts';

/** Errors of an endpoint in addition to those that it declares. */
function commonErrorsOf({ method, upload }: Endpoint): ErrorRef[] {
  // Every endpoint refuses unknown parameters.
  const errors: ErrorRef[] = ['bad_request', 'forbidden', 'too_many_requests', 'internal'];
  // A body is read and must be JSON even where the endpoint has none.
  if (method !== 'GET') errors.push('payload_too_large', upload?.wrongType ?? 'unsupported_media_type');
  return errors;
}

/** Every error that an endpoint can answer, each once, by status. */
export function errorsOf(endpoint: Endpoint): ErrorDefinition[] {
  const all = [...commonErrorsOf(endpoint), ...endpoint.errors].map(errorDefinition);
  const byCode = new Map(all.map((error) => [error.code, error]));
  return [...byCode.values()].sort((a, b) => a.status - b.status);
}
