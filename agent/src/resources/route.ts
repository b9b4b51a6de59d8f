import type { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import type { BinaryAnswer, BinaryBody, Endpoint } from '../contract/endpoint.ts';
import { ApiError } from '../contract/errors.ts';

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

/** The route of an endpoint that this build does not implement: 501. */
export function notImplemented(declaration: Endpoint): Route {
  const refuse = () => {
    throw new ApiError('not_implemented');
  };
  return { endpoint: declaration, handler: refuse, gate: refuse };
}
