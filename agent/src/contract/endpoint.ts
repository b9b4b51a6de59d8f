import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import { ApiError, type ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body that is not JSON: streamed to the handler, never held whole by the link. */
export interface BinaryBody {
  /** Types that are taken; the first is the one that the document and the serial link name. */
  contentTypes: readonly [string, ...string[]];
  /** What a body of another type is answered with; absent: 415 `unsupported_media_type`. */
  wrongType?: 'bad_request';
  /** Largest body in bytes; more is 413 `payload_too_large`. Absent: bounded by the disk only. */
  maxBytes?: number;
  description: string;
}

/** An answer that is not JSON. */
export interface BinaryAnswer {
  contentType: string;
  description: string;
}

/**
 * One endpoint of the contract: the source of its static types, its validation and its
 * place in the OpenAPI document. `path` is relative to `/api/v1` and spells parameters `{name}`.
 */
export interface Endpoint {
  method: Method;
  path: string;
  tag: string;
  summary: string;
  description?: string;
  params?: TObject;
  query?: TObject;
  /** JSON body. `optional` bodies may be left out (serial frames without one, POST actions). */
  body?: TSchema;
  upload?: BinaryBody;
  /** Status of success: 200, 202 or 204. */
  status: 200 | 202 | 204;
  response?: TSchema;
  download?: BinaryAnswer;
  /** Codes this endpoint adds to the ones every endpoint has. */
  errors: readonly ErrorCode[];
}

type Part<E extends Endpoint, K extends 'params' | 'query' | 'body'> = E[K] extends TSchema
  ? Static<E[K]>
  : undefined;

type Upload<U> = U extends BinaryBody ? Readable : undefined;

/** What a handler gets: validated and typed by the endpoint's schemas. */
export interface Call<E extends Endpoint> {
  params: Part<E, 'params'>;
  query: Part<E, 'query'>;
  body: Part<E, 'body'>;
  /** The raw body of an upload endpoint. Always read it to its end or destroy it. */
  upload: Upload<E['upload']>;
  /** Content length announced by the client, in bytes, if any. */
  uploadBytes: number | undefined;
  /** Runs `action` after the answer has been flushed to the link (contract-decisions: General rules). */
  afterAnswer(action: () => void): void;
}

/** A call as the link hands it on: checked against the endpoint that `serve` ties the handler to. */
export interface CheckedCall {
  params: unknown;
  query: unknown;
  body: unknown;
  upload: Readable | undefined;
  uploadBytes: number | undefined;
  afterAnswer(action: () => void): void;
}

/** What a handler gives: the typed resource, bytes for a download, nothing for 204. */
export type Answer<E extends Endpoint> = E['response'] extends TSchema
  ? Static<E['response']>
  : E['download'] extends BinaryAnswer
    ? Uint8Array
    : undefined;

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Answer<E>> | Answer<E>;

/** Keeps the literal types of an endpoint declaration. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

/** An endpoint together with what answers it. Build with `serve`. */
export interface Route {
  endpoint: Endpoint;
  handler: (call: CheckedCall) => unknown;
  /** Throws when the surface is closed now; asked before the body is read (docs/contract.md: Gates). */
  gate?: Gate;
}

/** Throws an ApiError while the endpoints behind it cannot answer (no radio, switched off, not wired). */
export type Gate = () => void | Promise<void>;

/** Ties a handler to its endpoint. The link that registers the route validates before it calls. */
export function serve<E extends Endpoint>(declaration: E, handler: Handler<E>, gate?: Gate): Route {
  // The link validates every part against this very declaration before it calls the handler.
  return { endpoint: declaration, handler: handler as Route['handler'], ...(gate ? { gate } : {}) };
}

/** An endpoint of the contract that this build does not have wired: its gates first, then 501. */
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
