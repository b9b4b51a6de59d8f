import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
  type preParsingHookHandler,
} from 'fastify';
import type { Logger } from '../base/logger.ts';
import { BASE_PATH } from '../contract/api.ts';
import {
  type CheckedCall,
  type Endpoint,
  type Gate,
  type Method,
  notWired,
  type Route,
} from '../contract/endpoint.ts';
import { ApiError } from '../contract/errors.ts';
import { Nothing } from '../contract/shared.ts';
import { parse, parseText } from '../contract/validate.ts';
import { isWellFormed } from '../contract/well-formed.ts';
import { answerError, SEND_JSON, sendBytes, sendJson, toApiError } from './answers.ts';
import type { Guard } from './guard.ts';
import { SECURITY_HEADERS } from './headers.ts';

/** Largest JSON body in bytes; the same as the longest serial line, so that both links carry the same. */
export const MAX_JSON_BYTES = 1024 * 1024;
const MAX_PARAM_CHARACTERS = 64 * 1024;
/** What a link needs to get an answer out before the system goes down, in ms. */
const FLUSH_GRACE_MS = 300;
/** How long a JSON body may take to arrive, in ms. */
const JSON_BODY_MS = 30_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is to be seen now; what is not there has no methods either. Absent: always. */
    isThere?: () => boolean;
  }
  interface FastifyInstance {
    /** What is asked before an endpoint's body is read; links that read bodies ahead of the app ask it too. */
    gates: ReadonlyMap<Endpoint, Gate>;
  }
}

export interface AppOptions {
  /** Every endpoint of the contract; those without a route answer 501 `not_implemented`. */
  endpoints: readonly Endpoint[];
  routes: readonly Route[];
  log: Logger;
  /** Refuses requests that do not come from a host of the cable; throws ApiError. */
  guard?: Guard;
}

/**
 * The one Fastify instance that every link brings its requests to: HTTP listens on it, the serial link
 * injects into it, so an endpoint cannot answer them differently.
 */
export function createApp({ endpoints, routes, log, guard }: AppOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: MAX_JSON_BYTES,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    // Longer than any head: what is too long for a name or an id, its endpoint says.
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: MAX_PARAM_CHARACTERS },
    // Given here and not by the setters, so that Fastify does not load compilers that are never used.
    schemaController: {
      compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
    },
    // Fastify tells nobody of requests (no logger), so they need no names.
    genReqId: () => '',
    // A path that does not decode is a bad request in the standard envelope, like any other.
    frameworkErrors: (error, request, reply) => {
      try {
        guard?.(request.raw);
        answerError(reply, error, log);
      } catch (refusal) {
        answerError(reply, refusal, log);
      }
    },
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => answerError(reply, error, log));
  const known: KnownRoute[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    const pattern = pathPattern(url);
    for (const one of [method].flat()) known.push({ method: one, pattern, isThere: config?.isThere });
  });
  // Of what Fastify sends; `sendJson` has them itself.
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.headers(SECURITY_HEADERS);
    done(null, payload);
  });
  app.addHook('onRequest', (request, reply, done) => {
    try {
      guard?.(request.raw);
      // Before the body is read: what is not there is not there, whatever is sent to it.
      if (request.is404 || hasEmptyParameter(request)) refuseUnmatched(known, request, reply);
      done();
    } catch (error) {
      done(toApiError(error));
    }
  });
  const served = new Map(routes.map((route) => [route.endpoint, route]));
  const gates = new Map<Endpoint, Gate>();
  app.decorate('gates', gates);
  const uploads = new Set<string>();
  for (const endpoint of endpoints) {
    for (const type of endpoint.upload?.contentTypes ?? []) uploads.add(type);
    const route = served.get(endpoint) ?? notWired(endpoint);
    if (route.gate) gates.set(endpoint, route.gate);
    register(app, route, uploads);
  }
  // Binary bodies reach the handler as a stream; nothing holds them whole.
  app.addContentTypeParser([...uploads], (_request, payload, done) => done(null, payload));
  acceptJsonOnly(app);

  return app;
}

/**
 * Requests are validated by `callOf`. Answers are typed by their schemas and written by JSON.stringify: a compiled
 * serializer is as quick for the smallest of them, many times slower for those with null in them, and takes longer
 * to compile than most agents would ever win back. So no route gives Fastify a schema.
 */
function noCompiler(): never {
  throw new Error('a route was given a schema for Fastify to compile');
}

/** JSON is the only other body there is, and it must say so: other sites' forms and beacons cannot. */
function acceptJsonOnly(app: FastifyInstance): void {
  app.addContentTypeParser('*', (request, _payload, done) => {
    // `fetch` names a type for the empty text, too.
    if (hasBody(request)) done(new ApiError('unsupported_media_type', SEND_JSON));
    else done(null, undefined);
  });
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser(['text/plain', 'application/json']);
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    // Clients that name the type on every POST send nothing in it where there is nothing to say.
    if (bytes.length === 0) {
      done(null, undefined);
      return;
    }
    // Read as a text of Fastify's making, what is in another encoding would be stored with signs of damage in it.
    if (!isUtf8(bytes)) {
      done(new ApiError('bad_request', 'The body is not UTF-8.'));
      return;
    }
    const body = bytes.toString();
    parseJson(request, body, (error, value) => {
      if (error || isWellFormed(body, value)) done(error, value);
      else done(new ApiError('bad_request', 'The body holds text with half a character in it.'));
    });
  });
}

/** @param uploads the types of every endpoint's uploads, which the app's parsers let through */
function register(
  app: FastifyInstance,
  { endpoint, handler, gate }: Route,
  uploads: ReadonlySet<string>,
): void {
  app.route({
    method: endpoint.method,
    url: urlOf(endpoint),
    ...(endpoint.upload ? { bodyLimit: endpoint.upload.maxBytes ?? Number.MAX_SAFE_INTEGER } : {}),
    // Only those that have something to ask: each costs every request, and one that gives a promise the most.
    onRequest: [...(gate ? [async () => gate()] : []), ...typeCheck(endpoint, uploads)],
    ...(endpoint.upload || endpoint.method === 'GET' ? {} : { preParsing: limitBodyTime }),
    handler: (request, reply) =>
      Promise.resolve(handler(callOf(endpoint, request, reply))).then((answer) => {
        if (endpoint.status === 204) return reply.code(204).send();
        if (endpoint.download) return sendBytes(reply, endpoint, endpoint.download, answer);
        sendJson(reply, endpoint.status, answer);
        return undefined;
      }),
  });
}

/** A JSON body that trickles in holds a connection for nobody: it is cut. Uploads last as long as they move. */
const limitBodyTime: preParsingHookHandler = (request, _reply, payload, done) => {
  if (!hasBody(request)) {
    done(null, payload);
    return;
  }
  const timer = setTimeout(() => payload.destroy(new Error('the body took too long')), JSON_BODY_MS);
  timer.unref();
  payload.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
  done(null, payload);
};

/** Validates every part of a request against its endpoint. */
function callOf(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): CheckedCall {
  const upload = endpoint.upload ? uploadOf(endpoint, request) : undefined;
  return {
    params: endpoint.params ? parseText(endpoint.params, request.params, '') : undefined,
    query: endpoint.query
      ? parseText(endpoint.query, request.query, '')
      : parseText(Nothing, request.query, ''),
    body: bodyOf(endpoint, request),
    upload,
    uploadBytes: upload ? contentLength(request) : undefined,
    afterAnswer: (action: () => void) => {
      reply.raw.once('finish', () => setTimeout(action, FLUSH_GRACE_MS).unref());
    },
  };
}

/** Where no body is wanted, the empty object stands for none: some clients cannot send a POST without JSON. */
function bodyOf(endpoint: Endpoint, request: FastifyRequest): unknown {
  // A type without a body leaves the empty stream of an upload, which is no body.
  const given = request.body instanceof Readable ? undefined : request.body;
  if (endpoint.body) return parse(endpoint.body, given, '');
  if (!endpoint.upload && endpoint.method !== 'GET' && given !== undefined) parse(Nothing, given, '');
  return undefined;
}

/**
 * The parsers take what any endpoint takes: of JSON or bytes, the other than this endpoint's is refused here, before
 * it is read. The limit of an upload would hold for JSON too, which is read whole.
 */
function typeCheck(endpoint: Endpoint, uploads: ReadonlySet<string>): onRequestHookHandler[] {
  const wanted = endpoint.upload?.contentTypes;
  // As everywhere in HTTP, the body of a GET means nothing.
  if (endpoint.method === 'GET' && !wanted) return [];
  const advice = wanted ? `Send the body as ${wanted.join(' or ')}.` : SEND_JSON;
  return [
    (request, _reply, done) => {
      const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
      const fits = wanted ? wanted.includes(type) : !uploads.has(type) || !hasBody(request);
      done(fits ? undefined : wrongType(endpoint, advice));
    },
  ];
}

function wrongType({ upload }: Endpoint, message?: string): ApiError {
  return new ApiError(upload?.wrongType ?? 'unsupported_media_type', message);
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function uploadOf(endpoint: Endpoint, request: FastifyRequest): Readable {
  if (!(request.body instanceof Readable)) throw wrongType(endpoint);
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

/** A route of the app, endpoint or not. */
interface KnownRoute {
  method: string;
  pattern: RegExp;
  isThere: (() => boolean) | undefined;
}

/** The router takes `/operations/` for an operation without a name. */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  return typeof params === 'object' && params !== null && Object.values(params).includes('');
}

function refuseUnmatched(known: readonly KnownRoute[], request: FastifyRequest, reply: FastifyReply): never {
  const path = request.url.split('?', 1)[0] ?? '';
  const allowed = known
    .filter(({ pattern, isThere }) => pattern.test(path) && (isThere?.() ?? true))
    .map(({ method }) => method);
  if (allowed.length === 0) throw new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`);
  const methods = [...new Set(allowed)];
  reply.header('allow', methods.join(', '));
  // The serial link has no headers.
  throw new ApiError('method_not_allowed', `The resource has ${methods.join(', ')} only.`, {
    allow: methods,
  });
}

/** The endpoint that a request for `path` (with or without its query) meets, read as the router reads it. */
export function findEndpoint(
  endpoints: readonly Endpoint[],
  method: Method,
  path: string,
): Endpoint | undefined {
  let bare = path.split(/[?#]/, 1)[0] ?? '';
  try {
    bare = decodeURI(bare);
  } catch {
    return undefined;
  }
  return endpoints.find((endpoint) => endpoint.method === method && pathPattern(urlOf(endpoint)).test(bare));
}

/** The path of an endpoint as the router spells it. */
function urlOf(endpoint: Endpoint): string {
  return BASE_PATH + endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function pathPattern(url: string): RegExp {
  return new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
}
