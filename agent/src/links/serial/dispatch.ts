/** Passes the requests of a serial link to the app and makes response frames of its answers. */
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ApiError } from '../../contract/errors.ts';
import type { Body, Target } from './request-frame.ts';

const require = createRequire(import.meta.url);

/**
 * Answers one request with the app and returns the response frame as text (interface: Serial transport). The app's JSON
 * is put into the frame as it is, without being parsed.
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
    // The path as the host sent it: `inject` resolves dot segments and backslashes, which no HTTP server does.
    request.url = target.path;
    app.routing(request, response);
  };
  const streamed = body?.payload instanceof Readable;
  const answer = await inject.default(dispatch, {
    method: target.method,
    url: '/',
    // No field of a frame becomes a header, so the guard sees the same for every host on the serial link.
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

/** The response frame of an error. @param id as JSON text */
export function failureFrame(id: string, error: ApiError): string {
  return responseFrame(id, error.status, JSON.stringify(error.envelope));
}

/** @param body JSON text on one line */
function responseFrame(id: string, status: number, body?: string, field = 'body'): string {
  const head = `{"id":${id},"type":"response","status":${status}`;
  return body === undefined ? `${head}}` : `${head},"${field}":${body}}`;
}

/** The app's serializer writes one line; a handler's own text may have several. */
function oneLine(json: string): string {
  return json.includes('\n') ? JSON.stringify(JSON.parse(json)) : json;
}
