import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import { ApiError, type ErrorCode } from './errors.ts';

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
  /** Error codes in addition to those of every endpoint. */
  errors: readonly ErrorCode[];
}

type Part<E extends Endpoint, K extends 'params' | 'query' | 'body'> = E[K] extends TSchema
  ? Static<E[K]>
  : undefined;

type Upload<U> = U extends BinaryBody ? Readable : undefined;

/** A call as the link passes it on: validated against the route's endpoint. */
export interface CheckedCall {
  params: unknown;
  query: unknown;
  body: unknown;
  /** The raw body of an upload endpoint. The handler reads it to its end or destroys it. */
  upload: Readable | undefined;
  /** Content length announced by the client, in bytes; undefined without one. */
  uploadBytes: number | undefined;
  /** Runs `action` after the link has sent the answer (docs/api.md: Responses). */
  afterAnswer(action: () => void): void;
}

/** The argument of a handler: a call that is typed by the endpoint's schemas. */
export interface Call<E extends Endpoint> extends CheckedCall {
  params: Part<E, 'params'>;
  query: Part<E, 'query'>;
  body: Part<E, 'body'>;
  upload: Upload<E['upload']>;
}

/** The result of a handler: the typed resource, bytes for a download, nothing for 204. */
export type Answer<E extends Endpoint> = E['response'] extends TSchema
  ? Static<E['response']>
  : E['download'] extends BinaryAnswer
    ? Uint8Array
    : undefined;

export type Handler<E extends Endpoint> = (
  call: Call<E>,
) => Answer<E> | Promise<Answer<E>> | (E['status'] extends 204 ? Promise<void> : never);

/** Keeps the literal types of an endpoint declaration. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

/** Whether an export of a schema file is an endpoint. */
export function isEndpoint(value: unknown): value is Endpoint {
  const names = ['method', 'path', 'status', 'errors'];
  return typeof value === 'object' && value !== null && names.every((name) => Object.hasOwn(value, name));
}

/** An endpoint with its handler. Made by `serve`. */
export interface Route {
  endpoint: Endpoint;
  handler: (call: CheckedCall) => unknown;
  /** Throws while the feature is not available; called before the body is read (docs/api.md: Features that are off or missing). */
  gate?: Gate;
}

/** Throws an ApiError while a feature is not available: no radio, disabled, not wired. */
export type Gate = () => void | Promise<void>;

/** Makes the route of an endpoint. The app validates a request before it calls the handler. */
export function serve<E extends Endpoint>(declaration: E, handler: Handler<E>, gate?: Gate): Route {
  // The app validates every part against this declaration first, so the call has the handler's type.
  return { endpoint: declaration, handler: handler as Route['handler'], ...(gate ? { gate } : {}) };
}

/** The routes of all endpoints of a schema file that this build does not implement. */
export function noneWired(contract: object, gate: Gate): Route[] {
  return Object.values<unknown>({ ...contract })
    .filter(isEndpoint)
    .map((declaration) => notWired(declaration, gate));
}

/** The route of an endpoint that this build does not implement: its gate, then 501. */
export function notWired(declaration: Endpoint, gate?: Gate): Route {
  const refuse = () => {
    throw new ApiError('not_implemented');
  };
  return {
    endpoint: declaration,
    handler: refuse,
    gate: async () => {
      await gate?.();
      refuse();
    },
  };
}
