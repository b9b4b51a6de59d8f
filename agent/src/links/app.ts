import { Readable } from 'node:stream';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from 'fastify';
import type { Logger } from '../base/logger.ts';
import { BASE_PATH } from '../contract/api.ts';
import type { Endpoint, Method } from '../contract/endpoint.ts';
import { ApiError } from '../contract/errors.ts';
import { Nothing } from '../contract/shared.ts';
import { type CheckedCall, notImplemented, type Route } from '../resources/route.ts';
import { payloadTooLarge } from '../uploads/receive.ts';
import { parseText, validator } from '../validation/validator.ts';
import { answerError, SECURITY_HEADERS, SEND_JSON, sendAnswer, toApiError } from './answers.ts';
import { acceptJsonOnly, hasBody, limitBodyTime } from './body-parsers.ts';
import type { Guard } from './guard.ts';
import { missingBody } from './missing-body.ts';
import { type RoutePath, suggestMember, suggestPath } from './suggest-path.ts';
import type { WebApp } from './web-app.ts';

/** Largest JSON body in bytes; the same as the longest serial line, so that both links carry the same. */
export const MAX_JSON_BYTES = 1024 * 1024;
const nothing = validator(Nothing);
const MAX_PARAM_CHARACTERS = 64 * 1024;
/** Delay after an answer before the system may go down, so that the link can deliver the answer, in ms. */
const FLUSH_GRACE_MS = 300;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route exists now at a path; one without an enabled route is 404. Default: always. */
    isEnabled?: (path: string) => boolean;
  }
}

export interface AppOptions {
  /** Every endpoint of the contract; those without a route answer 501 `not_implemented`. */
  endpoints: readonly Endpoint[];
  routes: readonly Route[];
  log: Logger;
  /** Refuses requests that another site's page made; throws ApiError. */
  guard?: Guard;
  /** Tells people in a browser that there is nothing at a path; undefined: JSON does. */
  webApp?: WebApp | undefined;
}

/**
 * The one Fastify instance that handles the requests of every link: HTTP listens on it, the serial link injects into
 * it, so an endpoint gives both the same answer.
 */
export function createApp({ endpoints, routes, log, guard, webApp }: AppOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: MAX_JSON_BYTES,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    // Longer than any request head: the endpoint's schema limits names and ids.
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: MAX_PARAM_CHARACTERS },
    // Given here and not by the setters, so that Fastify never loads its compilers; the bundle does not have them.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // Fastify does not log requests, so they need no ids.
    genReqId: () => '',
    // For example a path that cannot be decoded: a bad request in the standard envelope.
    frameworkErrors: (error, request, reply) => {
      try {
        guard?.(request.raw);
        answerError(reply, error, log);
      } catch (refusal) {
        answerError(reply, refusal, log);
      }
    },
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const isMissing = error instanceof ApiError && error.code === 'not_found';
    if (!isMissing || !webApp?.explainsMissing(request)) return answerError(reply, error, log);
    webApp.send(undefined, request, reply).catch((failure: unknown) => answerError(reply, failure, log));
  });
  const known: KnownRoute[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    const pattern = pathPattern(url);
    for (const one of [method].flat())
      known.push({ method: one, url, pattern, isEnabled: config?.isEnabled });
  });
  // For what Fastify sends; `sendJson` writes these headers itself.
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.headers(SECURITY_HEADERS);
    done(null, payload);
  });
  app.addHook('onRequest', (request, reply, done) => {
    try {
      guard?.(request.raw);
      // Before the body is read: neither the body nor its type changes the answer for an unknown path.
      if (request.is404 || hasEmptyParameter(request)) refuseUnmatched(known, request, reply);
      done();
    } catch (error) {
      done(toApiError(error));
    }
  });
  const served = new Map(routes.map((route) => [route.endpoint, route]));
  const uploads = new Set<string>();
  for (const endpoint of endpoints) {
    for (const type of endpoint.upload?.contentTypes ?? []) uploads.add(type);
    register(app, served.get(endpoint) ?? notImplemented(endpoint), uploads, log);
  }
  // Binary bodies reach the handler as a stream; they are never buffered as a whole.
  app.addContentTypeParser([...uploads], (_request, payload, done) => done(null, payload));
  acceptJsonOnly(app);

  return app;
}

/**
 * No route gives Fastify a schema. `callOf` validates requests; JSON.stringify writes answers: a compiled serializer is
 * no faster for small answers, slower for those with null in them, and takes long to compile.
 */
function noCompiler(): never {
  throw new Error('a route was given a schema for Fastify to compile');
}

/** @param uploads the content types of every endpoint's uploads, which the app's parsers accept */
function register(
  app: FastifyInstance,
  { endpoint, handler, gate }: Route,
  uploads: ReadonlySet<string>,
  log: Logger,
): void {
  app.route({
    method: endpoint.method,
    url: urlOf(endpoint),
    ...(endpoint.upload ? { bodyLimit: endpoint.upload.maxBytes ?? Number.MAX_SAFE_INTEGER } : {}),
    // Only where needed: each hook costs time in every request, an async one the most.
    onRequest: [...(gate ? [async () => gate()] : []), ...typeCheck(endpoint, uploads)],
    ...(endpoint.upload || endpoint.method === 'GET' ? {} : { preParsing: limitBodyTime }),
    // Gives Fastify no promise: the answer is sent here, and waiting for it a second time costs time.
    handler: (request, reply) => {
      Promise.resolve(handler(callOf(endpoint, request, reply)))
        .then((answer) => sendAnswer(reply, endpoint, answer))
        .catch((error: unknown) => answerError(reply, error, log));
    },
  });
}

/** Validates every part of a request against its endpoint. */
function callOf(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): CheckedCall {
  const upload = endpoint.upload ? uploadOf(endpoint, request) : undefined;
  return {
    params: endpoint.params ? parseText(validator(endpoint.params), request.params) : undefined,
    query: queryOf(endpoint, request.query),
    body: bodyOf(endpoint, request),
    upload,
    uploadBytes: upload ? contentLength(request) : undefined,
    afterAnswer: (action: () => void) => {
      let isDone = false;
      const run = () => {
        if (!isDone) setTimeout(action, FLUSH_GRACE_MS).unref();
        isDone = true;
      };
      // What was promised is done also if the client does not wait for the answer.
      if (reply.raw.destroyed) run();
      else reply.raw.once('finish', run).once('close', run);
    },
  };
}

function queryOf(endpoint: Endpoint, query: unknown): unknown {
  if (endpoint.query) return parseText(validator(endpoint.query), query);
  return isEmpty(query) ? undefined : parseText(nothing, query);
}

/** Most queries are: telling so takes a fraction of the time of validating them. */
function isEmpty(query: unknown): boolean {
  if (typeof query === 'object' && query !== null) for (const _ in query) return false;
  return true;
}

/** Endpoints without a body accept an empty object: some clients cannot send a POST without JSON. */
function bodyOf(endpoint: Endpoint, request: FastifyRequest): unknown {
  // With the content type of an upload, a request without a body has an empty stream.
  const given = request.body instanceof Readable ? undefined : request.body;
  if (endpoint.body && given === undefined) throw missingBody(endpoint.body);
  if (endpoint.body) return validator(endpoint.body).parse(given);
  if (!endpoint.upload && endpoint.method !== 'GET' && given !== undefined) nothing.parse(given);
  return undefined;
}

/**
 * The parsers accept every content type that some endpoint accepts. This check refuses, before the body is read, the
 * ones that this endpoint does not: the large limit of an upload would otherwise apply to JSON, which is buffered.
 */
function typeCheck(endpoint: Endpoint, uploads: ReadonlySet<string>): onRequestHookHandler[] {
  const wanted = endpoint.upload?.contentTypes;
  // The body of a GET has no meaning in HTTP.
  if (endpoint.method === 'GET' && !wanted) return [];
  const advice = wanted ? `Send the body as ${wanted[0]}.` : SEND_JSON;
  return [
    (request, _reply, done) => {
      const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
      // Browsers and curl send none for files that they do not know. The parser is chosen by the header.
      if (wanted && type === '') request.headers['content-type'] = wanted[0];
      const fits = wanted ? type === '' || wanted.includes(type) : !uploads.has(type) || !hasBody(request);
      done(fits ? undefined : wrongType(endpoint, advice));
    },
  ];
}

function wrongType({ upload }: Endpoint, message?: string): ApiError {
  return new ApiError(upload?.wrongType ?? 'unsupported_media_type', message);
}

function uploadOf(endpoint: Endpoint, request: FastifyRequest): Readable {
  if (!(request.body instanceof Readable)) throw wrongType(endpoint);
  const limit = endpoint.upload?.maxBytes;
  if (limit !== undefined && (contentLength(request) ?? 0) > limit) throw payloadTooLarge(limit);
  return request.body;
}

function contentLength(request: FastifyRequest): number | undefined {
  const text = request.headers['content-length'];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A route of the app, endpoint or not. */
interface KnownRoute extends RoutePath {
  pattern: RegExp;
  isEnabled: ((path: string) => boolean) | undefined;
}

/** The router matches `/operations/` as an operation with an empty name. */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  return typeof params === 'object' && params !== null && Object.values(params).includes('');
}

function refuseUnmatched(known: readonly KnownRoute[], request: FastifyRequest, reply: FastifyReply): never {
  const path = request.url.split('?', 1)[0] ?? '';
  const enabled = known.filter(({ isEnabled }) => isEnabled?.(path) ?? true);
  const allowed = enabled.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (allowed.length === 0) throw nothingAt(path, enabled);
  const methods = [...new Set(allowed)];
  reply.header('allow', methods.join(', '));
  const member = suggestMember(request.method, path, enabled);
  const hint = member === undefined ? '' : ` Did you mean ${member}?`;
  // The serial link has no headers.
  throw new ApiError('method_not_allowed', `The resource has ${methods.join(', ')} only.${hint}`, {
    allow: methods,
  });
}

/** Says that there is nothing at a path, and what there is instead. */
export function nothingAt(path: string, routes: readonly RoutePath[]): ApiError {
  const meant = suggestPath(path, routes);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.${hint}`);
}

/** The endpoint that the router finds for `path`, with or without its query. */
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

/** An endpoint as the router knows it. */
export const routeOf = (endpoint: Endpoint): RoutePath => ({ method: endpoint.method, url: urlOf(endpoint) });

/** The path of an endpoint as the router spells it. */
function urlOf(endpoint: Endpoint): string {
  return BASE_PATH + endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function pathPattern(url: string): RegExp {
  return new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
}
