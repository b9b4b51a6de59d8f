/** Brings the requests of a serial link to the app and puts its answers into response frames. */
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { BASE_PATH } from '../../contract/api.ts';
import type { Method } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';

const require = createRequire(import.meta.url);

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Method[];
/** Printable ASCII, as in a request line; longer heads are refused over HTTP too. */
const PATH = /^\/[!-~]{0,16000}$/;

/** What a request frame asks for. */
export interface Target {
  method: Method;
  /** With the query. */
  path: string;
}

/** A body in the form the app gets it. */
export interface Body {
  contentType: string;
  payload: string | Buffer | Readable;
}

/**
 * Reads method and path of a request frame.
 * @throws ApiError `bad_request`; `not_found` for paths outside the interface
 */
export function targetOf({ method, path }: Readonly<Record<string, unknown>>): Target {
  if (!isMethod(method)) throw badField('method', `must be one of ${METHODS.join(', ')}`);
  if (typeof path !== 'string' || !PATH.test(path)) {
    throw badField('path', 'must be a path with its query, percent-encoded where needed');
  }
  if (!path.startsWith(`${BASE_PATH}/`)) {
    throw new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`);
  }
  return { method, path };
}

/** A 400 about one field of a frame. */
export function badField(name: string, message: string): ApiError {
  return new ApiError('bad_request', `/${name} ${message}`, { issues: [{ path: `/${name}`, message }] });
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'string' && METHODS.includes(value);
}

/** @throws ApiError `bad_request` for a value nested too deeply to be written again */
export function jsonBody(value: unknown): Body {
  try {
    return { contentType: 'application/json', payload: JSON.stringify(value) };
  } catch {
    throw badField('body', 'is nested too deeply');
  }
}

/** Strict base64 with padding; undefined when `text` is not. */
export function fromBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return Buffer.from(text, 'base64');
}

/**
 * Answers one request by the app and gives the response frame as text (interface: Serial transport). The app's
 * JSON is put into the frame as it is, without being read again.
 * @param app must be ready
 * @param id the request's id as JSON text
 */
export async function respond(
  app: FastifyInstance,
  id: string,
  target: Target,
  body: Body | undefined,
): Promise<string> {
  const inject: typeof import('light-my-request') = require('light-my-request');
  const dispatch: RequestListener = (request, response) => {
    // As the host has spelt it: `inject` resolves dot segments and backslashes, which no HTTP server does.
    request.url = target.path;
    app.routing(request, response);
  };
  const streamed = body?.payload instanceof Readable;
  const answer = await inject.default(dispatch, {
    method: target.method,
    url: '/',
    // Nothing in a frame becomes a header, so this is what the guard sees of a host on the serial link.
    headers: {
      host: 'localhost',
      'user-agent': 'vitrine-serial',
      ...(body ? { 'content-type': body.contentType } : {}),
      ...(streamed ? { 'transfer-encoding': 'chunked' } : {}),
    },
    ...(body ? { payload: body.payload } : {}),
  });
  const { statusCode } = answer;
  if (statusCode === 204) return responseFrame(id, statusCode);
  const type = answer.headers['content-type'];
  if (typeof type === 'string' && type.startsWith('application/json')) {
    return responseFrame(id, statusCode, oneLine(answer.payload));
  }
  return responseFrame(id, statusCode, `"${answer.rawPayload.toString('base64')}"`, 'body_b64');
}

/** @param body JSON text on one line */
export function responseFrame(id: string, status: number, body?: string, field = 'body'): string {
  const head = `{"id":${id},"type":"response","status":${status}`;
  return body === undefined ? `${head}}` : `${head},"${field}":${body}}`;
}

/** The serializers write on one line; a handler's own text might not. */
function oneLine(json: string): string {
  return json.includes('\n') ? JSON.stringify(JSON.parse(json)) : json;
}
