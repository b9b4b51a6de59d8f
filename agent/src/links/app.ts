import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { BASE_PATH } from '../contract/api.ts';
import { type Call, type Endpoint, notWired, type Route } from '../contract/endpoint.ts';
import { ApiError, type ErrorCode, envelope } from '../contract/errors.ts';
import { parse, parseText } from '../contract/validate.ts';
import type { Logger } from '../system/logger.ts';
import { lazySerializer } from './serializer.ts';

/** Largest JSON body in bytes; the same as the longest serial line, so that both links carry the same. */
export const MAX_JSON_BYTES = 1024 * 1024;
/** What a link needs to get an answer out before the system goes down, in ms. */
const FLUSH_GRACE_MS = 300;

export interface AppOptions {
  /** Every endpoint of the contract; those without a route answer 501 `not_implemented`. */
  endpoints: readonly Endpoint[];
  routes: readonly Route[];
  log: Logger;
  /** Refuses requests that do not come from a host of the cable; throws ApiError. */
  guard?: (request: IncomingMessage) => void;
}

/**
 * The one Fastify instance that every link brings its requests to: HTTP listens on it, the serial link
 * injects into it, so an endpoint cannot answer them differently.
 */
export function createApp({ endpoints, routes, log, guard }: AppOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: MAX_JSON_BYTES,
    requestTimeout: 0, // uploads last as long as they move; the socket's idle timeout below bounds them
    connectionTimeout: 60_000,
    keepAliveTimeout: 30_000,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 256 },
    // A path that does not decode is a bad request in the standard envelope, like any other.
    frameworkErrors: (error, _request, reply) => void answerError(reply, error, log),
  });
  app.setSerializerCompiler(lazySerializer);
  app.setErrorHandler((error: FastifyError, _request, reply) => answerError(reply, error, log));
  if (guard) app.addHook('onRequest', async (request) => guard(request.raw));

  const served = new Map(routes.map((route) => [route.endpoint, route]));
  const uploads = new Set<string>();
  for (const endpoint of endpoints) {
    for (const type of endpoint.upload?.contentTypes ?? []) uploads.add(type);
    register(app, served.get(endpoint) ?? notWired(endpoint));
  }
  // Binary bodies reach the handler as a stream; nothing holds them whole.
  app.addContentTypeParser([...uploads], (_request, payload, done) => done(null, payload));

  app.setNotFoundHandler((request, reply) => answerUnmatched(endpoints, request, reply));
  return app;
}

function register(app: FastifyInstance, { endpoint, handler, gate }: Route): void {
  app.route({
    method: endpoint.method,
    url: BASE_PATH + endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: endpoint.response ? { response: { [endpoint.status]: endpoint.response } } : {},
    ...(endpoint.upload ? { bodyLimit: endpoint.upload.maxBytes ?? Number.MAX_SAFE_INTEGER } : {}),
    ...(gate ? { onRequest: async () => gate() } : {}),
    handler: async (request, reply) => {
      const answer = await handler(callOf(endpoint, request, reply));
      reply.code(endpoint.status);
      if (endpoint.status === 204) return reply.send();
      if (endpoint.download) {
        if (!(answer instanceof Uint8Array)) throw new TypeError(`${endpoint.path} did not give bytes`);
        return reply.type(endpoint.download.contentType).header('cache-control', 'no-store').send(answer);
      }
      return reply.send(answer);
    },
  });
}

/** Validates every part of a request against its endpoint. */
function callOf(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Call<Endpoint> {
  const upload = endpoint.upload ? uploadOf(endpoint, request) : undefined;
  const call = {
    params: endpoint.params ? parseText(endpoint.params, request.params, '') : undefined,
    query: endpoint.query ? parseText(endpoint.query, request.query, '') : undefined,
    body: endpoint.body ? parse(endpoint.body, request.body, '') : undefined,
    upload,
    uploadBytes: upload ? contentLength(request) : undefined,
    afterAnswer: (action: () => void) => {
      reply.raw.once('finish', () => setTimeout(action, FLUSH_GRACE_MS).unref());
    },
  };
  // The parts have just been validated by the schemas that give them their types.
  return call as unknown as Call<Endpoint>;
}

function uploadOf(endpoint: Endpoint, request: FastifyRequest): Readable {
  const wanted = endpoint.upload?.contentTypes ?? [];
  const got = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (!got || !wanted.includes(got) || !(request.body instanceof Readable)) {
    throw new ApiError('unsupported_media_type', `Send the body as ${wanted.join(' or ')}.`);
  }
  const announced = contentLength(request);
  const limit = endpoint.upload?.maxBytes;
  if (limit !== undefined && announced !== undefined && announced > limit) {
    throw new ApiError('payload_too_large', `The body may have ${limit} bytes at most.`, {
      max_bytes: limit,
    });
  }
  return request.body;
}

function contentLength(request: FastifyRequest): number | undefined {
  const text = request.headers['content-length'];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function answerUnmatched(endpoints: readonly Endpoint[], request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split('?', 1)[0] ?? '';
  const allowed = endpoints.filter((e) => pathPattern(e).test(path)).map((e) => e.method);
  if (allowed.length === 0) throw new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`);
  return reply
    .code(405)
    .header('allow', [...new Set(allowed)].join(', '))
    .send(envelope('method_not_allowed'));
}

function pathPattern(endpoint: Endpoint): RegExp {
  return new RegExp(`^${BASE_PATH}${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`);
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
function answerError(reply: FastifyReply, error: unknown, log: Logger) {
  const known = toApiError(error);
  if (known.code === 'internal') log.error({ err: error }, 'request failed');
  return reply
    .code(known.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(known.envelope));
}

/** The contract's error for whatever was thrown; what is not known is `internal` and tells nothing. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') {
    const code = HTTP_CODES[error.statusCode];
    if (code) return new ApiError(code, error.message);
  }
  return new ApiError('internal');
}
