import type { TObject, TSchema } from 'typebox';
import { type ErrorDefinition, type ErrorRef, errorDefinition } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body that is not JSON: streamed to the handler, never buffered by the link. */
export interface BinaryBody {
  /** Accepted content types, besides none; the OpenAPI document and the serial link use the first one. */
  contentTypes: readonly [string, ...string[]];
  /** Error for a body of another type; default: 415 `unsupported_media_type`. */
  wrongType?: 'bad_request';
  /** Largest body in bytes; more is 413 `payload_too_large`. Default: limited by the disk only. */
  maxBytes?: number;
  description: string;
}

/** An answer that is not JSON. */
export interface BinaryAnswer {
  contentType: string;
  description: string;
}

/**
 * One endpoint of the contract: the source of its static types, its validation and its part of the OpenAPI document.
 * `path` is relative to `/api/v1`, with parameters as `{name}`.
 */
export interface Endpoint {
  method: Method;
  path: string;
  tag: string;
  summary: string;
  description?: string;
  params?: TObject;
  query?: TObject;
  /** JSON body. */
  body?: TSchema;
  upload?: BinaryBody;
  /** Status of a successful answer. */
  status: 200 | 202 | 204;
  response?: TSchema;
  download?: BinaryAnswer;
  /** Errors in addition to those of every endpoint. */
  errors: readonly ErrorRef[];
}

/** Keeps the literal types of an endpoint declaration. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

/** Whether an export of a schema file is an endpoint. */
export function isEndpoint(value: unknown): value is Endpoint {
  const names = ['method', 'path', 'status', 'errors'];
  return typeof value === 'object' && value !== null && names.every((name) => Object.hasOwn(value, name));
}

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
