/** How the app reads request bodies. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import { isTooDeep, notJson, tooDeep } from '../contract/json.ts';
import { isWellFormed } from '../contract/well-formed.ts';
import { SEND_JSON } from './answers.ts';

/** How long a JSON body may take to arrive, in ms. */
const JSON_BODY_MS = 30_000;

/** Besides uploads, JSON is the only body type: forms and beacons of other sites cannot send it. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.addContentTypeParser('*', (request, _payload, done) => {
    // `fetch` sends a content type with an empty body, too.
    if (hasBody(request)) done(new ApiError('unsupported_media_type', SEND_JSON));
    else done(null, undefined);
  });
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser(['text/plain', 'application/json']);
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    // Some clients send the content type with every POST, also without a body.
    if (bytes.length === 0) {
      done(null, undefined);
      return;
    }
    // Decoding another encoding as UTF-8 would put replacement characters into what is stored.
    if (!isUtf8(bytes)) {
      done(new ApiError('bad_request', 'The body is not UTF-8.'));
      return;
    }
    const body = bytes.toString();
    if (isTooDeep(body)) {
      done(tooDeep('The body'));
      return;
    }
    parseJson(request, body, (error, value) => {
      if (error) done(new ApiError('bad_request', notJson('The body', body)));
      else if (isWellFormed(body, value)) done(null, value);
      else done(new ApiError('bad_request', 'The body has text with an unpaired surrogate.'));
    });
  });
}

/** Ends a request whose JSON body takes too long. Uploads may take any time as long as data arrives. */
export const limitBodyTime: preParsingHookHandler = (request, _reply, payload, done) => {
  if (!hasBody(request)) {
    done(null, payload);
    return;
  }
  const timer = setTimeout(() => payload.destroy(new Error('the body took too long')), JSON_BODY_MS);
  timer.unref();
  payload.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
  done(null, payload);
};

/** Whether a request announces a body. */
export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
