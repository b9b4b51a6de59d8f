/** The requests of a serial link: reads their frames, passes them to the app, makes response frames of its answers. */
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { BASE_PATH } from '../../contract/api.ts';
import type { Endpoint, Method } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import { MAX_JSON_LEVELS } from '../../contract/json.ts';
import { nothingAt, routeOf } from '../app.ts';
import type { Fields } from './framing.ts';

const require = createRequire(import.meta.url);

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Printable ASCII, as in a request line; HTTP refuses longer heads too. */
const PATH = /^\/[!-~]{0,16000}$/;

/** Stands for a body that is nested too deeply. */
const TOO_DEEP = '['.repeat(2 * MAX_JSON_LEVELS + 1);

export interface Target {
  method: Method;
  /** With the query. */
  path: string;
}

/** A body in the form that the app takes. */
export interface Body {
  contentType: string;
  payload: string | Buffer | Readable;
}

/** @throws ApiError `bad_request`; `not_found` for paths outside the API */
export function targetOf({ method: name, path }: Fields, endpoints: readonly Endpoint[]): Target {
  const method = METHODS.find((each) => each === name);
  if (!method) throw badField('method', `must be one of ${METHODS.join(', ')}`);
  if (typeof path !== 'string' || !PATH.test(path)) {
    throw badField('path', 'must be a path with its query, percent-encoded where needed');
  }
  if (!path.startsWith(`${BASE_PATH}/`)) {
    throw nothingAt(path.split('?', 1)[0] ?? '', endpoints.map(routeOf));
  }
  return { method, path };
}

/**
 * The body inside the frame; undefined when there is none.
 * @param isTooDeep the frame is nested so deeply that its body may not be writable: the app refuses it, as over HTTP
 * @throws ApiError `bad_request`
 */
export function bodyOf(
  { body, body_b64: binary }: Fields,
  endpoint: Endpoint | undefined,
  isTooDeep: boolean,
): Body | undefined {
  if (binary === undefined && body === undefined) return undefined;
  if (binary === undefined) {
    return { contentType: 'application/json', payload: isTooDeep ? TOO_DEEP : JSON.stringify(body) };
  }
  if (body !== undefined) throw badField('body_b64', 'may not come together with body');
  if (typeof binary !== 'string') throw badField('body_b64', 'must be string');
  const payload = fromBase64(binary);
  if (!payload) throw badField('body_b64', 'must be base64');
  if (payload.length === 0) return undefined;
  return { contentType: endpoint?.upload?.contentTypes[0] ?? 'application/octet-stream', payload };
}

/** Strict base64 with padding; undefined when `text` is not. */
export function fromBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return Buffer.from(text, 'base64');
}

/** Error `bad_request` about one field of a frame. */
export function badField(name: string, message: string): ApiError {
  return new ApiError('bad_request', `/${name} ${message}`, { issues: [{ path: `/${name}`, message }] });
}

/**
 * Answers one request with the app and returns the response frame as text. The app's JSON, which it writes on one
 * line, is put into the frame without being parsed.
 * @param app must be ready
 * @param id the request's id as JSON text
 */
export async function respond(
  app: FastifyInstance,
  id: string,
  { method, path }: Target,
  body: Body | undefined,
): Promise<string> {
  const inject: typeof import('light-my-request') = require('light-my-request');
  const dispatch: RequestListener = (request, response) => {
    // The path as the host sent it: `inject` resolves dot segments and backslashes, which no HTTP server does.
    request.url = path;
    app.routing(request, response);
  };
  const isChunked = body?.payload instanceof Readable;
  const answer = await inject.default(dispatch, {
    method,
    url: '/',
    // No field of a frame becomes a header, so the guard sees the same for every host on the serial link.
    headers: {
      host: 'localhost',
      'user-agent': 'vitrine-serial',
      ...(body ? { 'content-type': body.contentType } : {}),
      ...(isChunked ? { 'transfer-encoding': 'chunked' } : {}),
    },
    ...(body ? { payload: body.payload } : {}),
  });
  const { statusCode } = answer;
  if (statusCode === 204) return responseFrame(id, statusCode);
  if (String(answer.headers['content-type']).startsWith('application/json')) {
    return responseFrame(id, statusCode, answer.payload);
  }
  return responseFrame(id, statusCode, `"${answer.rawPayload.toString('base64')}"`, 'body_b64');
}

/** The response frame of an error. @param id as JSON text */
export function failureFrame(id: string, error: ApiError): string {
  return responseFrame(id, error.status, JSON.stringify(error.envelope));
}

/** @param body JSON text on one line */
function responseFrame(id: string, status: number, body?: string, field = 'body'): string {
  const head = `{"id":${id},"type":"response","status":${status}`;
  return body === undefined ? `${head}}` : `${head},"${field}":${body}}`;
}
