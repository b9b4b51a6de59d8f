/** How answers of either kind, and failures, leave the app. */
import type { FastifyReply } from 'fastify';
import type { Logger } from '../base/logger.ts';
import type { BinaryAnswer, Endpoint } from '../contract/endpoint.ts';
import { ApiError, type ErrorCode } from '../contract/errors.ts';
import { PAGE_POLICY, SECURITY_HEADERS } from './headers.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Names and values in turn; the length of the answer comes behind them. */
const JSON_HEAD = [...Object.entries(SECURITY_HEADERS).flat(), 'content-type', JSON_TYPE, 'content-length'];
/** What a body of another type is told. */
export const SEND_JSON = 'Send the body as application/json.';
/** How long the rest of a body that nobody reads any more may keep arriving, in ms. */
const UNREAD_BODY_MS = 5_000;

/**
 * Writes a JSON answer straight to the response: Fastify's own way to the same bytes, header by header, costs a small
 * answer a fifteenth of its time.
 * @throws TypeError when JSON has no form for the answer; nothing is sent then
 */
export function sendJson(reply: FastifyReply, status: number, answer: unknown): void {
  const text = JSON.stringify(answer);
  const length = Buffer.byteLength(text);
  reply.hijack(); // it is answered: Fastify neither sends what the handler gives nor waits for more
  reply.raw.writeHead(status, [...JSON_HEAD, String(length)]);
  reply.raw.end(text);
}

/** @throws TypeError when the handler gave no bytes */
export function sendBytes(
  reply: FastifyReply,
  { path, status }: Endpoint,
  { contentType }: BinaryAnswer,
  answer: unknown,
): FastifyReply {
  if (!(answer instanceof Uint8Array)) throw new TypeError(`${path} did not give bytes`);
  if (contentType.startsWith('text/html')) reply.header('content-security-policy', PAGE_POLICY);
  return reply.code(status).type(contentType).header('cache-control', 'no-store').send(answer);
}

/** Which contract code stands for a status that the HTTP layer itself decided on. */
const HTTP_CODES: Record<number, ErrorCode> = {
  400: 'bad_request',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  414: 'bad_request',
  415: 'unsupported_media_type',
};

/** Puts any failure into the standard envelope (interface: Errors). */
export function answerError(reply: FastifyReply, error: unknown, log: Logger) {
  const known = toApiError(error);
  if (known.code === 'internal') log.error({ err: error }, 'request failed');
  cutUnreadBody(reply);
  return reply
    .headers(SECURITY_HEADERS)
    .code(known.status)
    .type(JSON_TYPE)
    .send(JSON.stringify(known.envelope));
}

/**
 * A refused upload goes on arriving. Closing at once would reset the connection before the client has read the
 * answer, so the rest is read and thrown away, for a while.
 */
function cutUnreadBody({ raw, request }: FastifyReply): void {
  const incoming = request.raw;
  // Requests that another link injects have no such field: there is no connection to cut.
  if (incoming.complete !== false) return;
  const timer = setTimeout(() => incoming.complete || incoming.socket.destroy(), UNREAD_BODY_MS).unref();
  raw.once('finish', () => incoming.resume());
  incoming.once('close', () => clearTimeout(timer));
}

/** The contract's error for whatever was thrown; what is not known is `internal` and tells nothing. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') {
    const code = HTTP_CODES[error.statusCode];
    // The parser says only that it does not know the type.
    if (code === 'unsupported_media_type') return new ApiError(code, SEND_JSON);
    if (code) return new ApiError(code, error.message);
  }
  return new ApiError('internal');
}
