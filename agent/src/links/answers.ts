/** How answers of either kind, and failures, leave the app. */
import type { FastifyReply } from 'fastify';
import type { Logger } from '../base/logger.ts';
import type { BinaryAnswer, Endpoint } from '../contract/endpoint.ts';
import { ApiError, type ErrorCode, storageError } from '../contract/errors.ts';
import { PAGE_POLICY, SECURITY_HEADERS } from './headers.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Names and values in turn; the length of the answer comes behind them. */
const JSON_HEAD = [...Object.entries(SECURITY_HEADERS).flat(), 'content-type', JSON_TYPE, 'content-length'];
/** What a body of another type is told. */
export const SEND_JSON = 'Send the body as application/json.';
/** How long the rest of a body that nobody wants may keep arriving, in ms; of a request that may not be made at all. */
const UNREAD_BODY_MS = 5_000;
const FORBIDDEN_BODY_MS = 1_000;
/** Up to here the rest of a body is read for the sake of its connection, in bytes. */
const SMALL_BODY_BYTES = 64 * 1024;

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

/**
 * Puts any failure into the standard envelope (interface: Errors). What is forbidden ends its connection, so that
 * another site's page cannot have the host's browser hold any; so does a body that is too large to be read for nothing.
 */
export function answerError(reply: FastifyReply, error: unknown, log: Logger): FastifyReply | undefined {
  const known = toApiError(error);
  if (known.code === 'internal') log.error({ err: error }, 'request failed');
  const text = JSON.stringify(known.envelope);
  const forbidden = known.code === 'forbidden';
  const unread = unreadBytes(reply);
  reply.headers(SECURITY_HEADERS).code(known.status).type(JSON_TYPE);
  if (forbidden || unread > SMALL_BODY_BYTES) reply.header('connection', 'close');
  if (unread > 0 && reply.hasHeader('connection')) {
    answerBeforeBody(reply, text, forbidden ? FORBIDDEN_BODY_MS : UNREAD_BODY_MS);
    return undefined;
  }
  if (unread > 0) readAway(reply);
  return reply.send(text);
}

/** What may still come of the request's body: by its announced length, infinite without one. */
function unreadBytes({ request: { raw, headers } }: FastifyReply): number {
  // Requests that another link injects have no such field: there is no connection to think of.
  if (raw.complete !== false) return 0;
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}

/** Reads the rest of a small body when the answer is out, so that the connection is good for the next request. */
function readAway({ raw, request }: FastifyReply): void {
  const incoming = request.raw;
  const timer = setTimeout(() => incoming.complete || incoming.socket.destroy(), UNREAD_BODY_MS).unref();
  raw.once('finish', () => incoming.resume());
  incoming.once('close', () => clearTimeout(timer));
}

/**
 * Sends the whole answer at once, then reads and drops the body for a while. A connection that is closed with bytes
 * unread is reset, and the client may lose the answer. Clients that read it stop sending and hang up.
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
    raw.end();
  };
  const timer = setTimeout(end, ms).unref();
  incoming.once('end', end).once('close', end).resume();
}

/** The contract's error for whatever was thrown; what is not known is `internal` and tells nothing. */
export function toApiError(thrown: unknown): ApiError {
  const error = storageError(thrown);
  if (error instanceof ApiError) return error;
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') {
    const code = HTTP_CODES[error.statusCode];
    // The parser says only that it does not know the type.
    if (code === 'unsupported_media_type') return new ApiError(code, SEND_JSON);
    if (code) return new ApiError(code, error.message);
  }
  return new ApiError('internal');
}
