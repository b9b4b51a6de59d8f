/** Sends the app's answers: JSON, bytes, and errors. */
import type { FastifyReply } from 'fastify';
import type { Logger } from '../base/logger.ts';
import { BASE_PATH } from '../contract/api.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError, type CommonCode, storageError } from '../contract/errors.ts';
import { pagePolicy } from './page-policy.ts';

/** Headers of every answer: other sites may not embed it, and browsers may not guess its type. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

const JSON_TYPE = 'application/json; charset=utf-8';
/** Names and values in turn; the content length follows them. */
const JSON_HEAD = [...Object.entries(SECURITY_HEADERS).flat(), 'content-type', JSON_TYPE, 'content-length'];
/** Message for a body of another type. */
export const SEND_JSON = 'Send the body as application/json.';
/** When a request that found too many others may be tried again, in s. */
const RETRY_AFTER_S = 1;
/** How long the rest of an unwanted body may keep arriving, in ms; shorter for a forbidden request. */
const UNREAD_BODY_MS = 5_000;
const FORBIDDEN_BODY_MS = 1_000;
/** Up to this many bytes of an unwanted body are read, so that the connection can be used again. */
const SMALL_BODY_BYTES = 64 * 1024;

/** @throws TypeError when the handler's answer is not what the endpoint declares; nothing is sent then */
export function sendAnswer(reply: FastifyReply, endpoint: Endpoint, answer: unknown): void {
  const { path, status, download } = endpoint;
  if (status === 204) {
    reply.code(status).send();
  } else if (download) {
    if (!(answer instanceof Uint8Array)) throw new TypeError(`${path} did not give bytes`);
    if (download.contentType.startsWith('text/html'))
      reply.header('content-security-policy', pagePolicy(answer));
    reply.code(status).type(download.contentType).header('cache-control', 'no-store').send(answer);
  } else {
    // Written directly to the response: sending a small answer header by header, as Fastify does, takes a fifteenth of
    // its time.
    const text = JSON.stringify(answer);
    const length = Buffer.byteLength(text);
    reply.hijack(); // Fastify sends nothing more
    reply.raw.writeHead(status, [...JSON_HEAD, String(length), ...locationOf(status, answer)]);
    reply.raw.end(text);
  }
}

/** The header with the place of the operation that a request has begun: name and value in turn; none if it has begun none. */
function locationOf(status: number, answer: unknown): string[] {
  if (status !== 202 || typeof answer !== 'object' || answer === null || !('operation_id' in answer))
    return [];
  return ['location', `${BASE_PATH}/operations/${answer.operation_id}`];
}

/** The error code for a status that the HTTP layer itself chose. */
const HTTP_CODES: Record<number, CommonCode> = {
  400: 'bad_request',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  414: 'bad_request',
  415: 'unsupported_media_type',
};

/**
 * Answers any failure with the standard envelope (docs/api.md: Errors). A forbidden request also loses its connection, so
 * that another site's page cannot make the host's browser keep connections open; so does a request with a large body
 * that is not wanted.
 */
export function answerError(reply: FastifyReply, error: unknown, log: Logger): void {
  const known = toApiError(error);
  if (known.code === 'internal') log.error({ err: error }, 'request failed');
  const text = JSON.stringify(known.envelope);
  const forbidden = known.code === 'forbidden';
  const unread = unreadBytes(reply);
  reply.headers(SECURITY_HEADERS).code(known.status).type(JSON_TYPE);
  if (known.status === 429) reply.header('retry-after', RETRY_AFTER_S);
  if (forbidden || unread > SMALL_BODY_BYTES) reply.header('connection', 'close');
  if (unread > 0) answerBeforeBody(reply, text, forbidden ? FORBIDDEN_BODY_MS : UNREAD_BODY_MS);
  else reply.send(text);
}

/** How much of the request's body may still arrive: by its announced length, infinite without one. */
function unreadBytes({ request: { raw, headers } }: FastifyReply): number {
  // Requests that another link injects have no such field, and no connection.
  if (raw.complete !== false) return 0;
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}

/**
 * Sends the whole answer at once, then reads and drops the body for up to `ms`. Closing a connection that has unread
 * bytes resets it, and the client may lose the answer. Clients that read the answer stop sending and close.
 */
function answerBeforeBody(reply: FastifyReply, text: string, ms: number): void {
  const { raw, request } = reply;
  const incoming = request.raw;
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.setHeader('content-length', Buffer.byteLength(text));
  raw.writeHead(reply.statusCode);
  raw.write(text);
  const end = () => {
    clearTimeout(timer);
    raw.end(() => incoming.complete || incoming.socket.destroy());
  };
  const timer = setTimeout(end, ms).unref();
  incoming.once('end', end).once('close', end).resume();
}

/** The API error for whatever was thrown; an unknown error becomes `internal` without details. */
export function toApiError(thrown: unknown): ApiError {
  const error = storageError(thrown);
  if (error instanceof ApiError) return error;
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') {
    const code = HTTP_CODES[error.statusCode];
    // Fastify's message says only that the type is not supported.
    if (code === 'unsupported_media_type') return new ApiError(code, SEND_JSON);
    if (code) return new ApiError(code, error.message);
  }
  return new ApiError('internal');
}
