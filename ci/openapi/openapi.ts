import type { TSchema } from 'typebox';
import { BASE_PATH } from '../../agent/src/contract/api.ts';
import type { Endpoint } from '../../agent/src/contract/endpoint.ts';
import { errorsOf } from '../../agent/src/contract/endpoint.ts';
import { type ErrorDefinition, type ErrorRef, errorDefinition } from '../../agent/src/contract/errors.ts';
import { ErrorEnvelopeSchema } from '../../agent/src/contract/shared.ts';
import type { Topic } from '../../agent/src/contract/topics.ts';
import { Operation } from '../../agent/src/resources/operations/schema.ts';
import { projectVersion } from '../image/lib/inputs.ts';
import { Components } from './components.ts';
import { type OperationExample, operationExamples } from './examples/index.ts';
import { frames } from './frames.ts';
import type { Json, JsonObject } from './json.ts';
import { ABOUT, SERIAL, TAGS, WEBSOCKET } from './texts.ts';

/** An OpenAPI 3.1 document; only the parts that are used here are typed. */
export interface OpenApi {
  openapi: string;
  info: JsonObject;
  servers: Json[];
  security: Json[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, JsonObject>>;
  components: { schemas: JsonObject; responses: JsonObject };
  'x-errors': JsonObject;
  'x-events': JsonObject;
  'x-websocket': JsonObject;
  'x-serial': JsonObject;
}

/** What `resources/contract.ts` exports. */
interface Contract {
  /** Every endpoint by its operation id. */
  endpointsById: ReadonlyMap<string, Endpoint>;
  errors: readonly ErrorDefinition[];
  topics: readonly Topic[];
}

/** A body that is not JSON. OpenAPI 3.1 needs no schema for it, but generators treat a body without one as none. */
const BYTES = { type: 'string', format: 'binary' };
const TEXT_TYPE = /^text\/|\/yaml$/;

/** The machine-readable contract. Written by `npm run generate`. */
export function openApi({ endpointsById, errors, topics }: Contract): OpenApi {
  const schemas = new Components();
  const responses: JsonObject = {};
  schemas.ref(ErrorEnvelopeSchema);
  const paths: OpenApi['paths'] = {};
  const order = [...endpointsById].sort(([, a], [, b]) => tagIndex(a) - tagIndex(b) || pathOrder(a, b));
  for (const [id, endpoint] of order) {
    const path = paths[endpoint.path] ?? {};
    paths[endpoint.path] = path;
    path[endpoint.method.toLowerCase()] = operation(id, endpoint, schemas, responses);
  }
  paths['/events'] = { get: eventsOperation(responses) };
  const links = frames(topics);
  const refs = (list: TSchema[]): Json => ({ oneOf: list.map((schema) => schemas.ref(schema)) });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vitrine',
      version: projectVersion(),
      summary: 'Display appliance management interface',
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: BASE_PATH }],
    // No call carries a credential.
    security: [],
    tags: TAGS,
    paths,
    'x-errors': Object.fromEntries(errors.map(({ code, status, message }) => [code, { status, message }])),
    'x-events': Object.fromEntries(
      topics.map(({ name, summary, payload }) => [name, { summary, payload: schemas.ref(payload) }]),
    ),
    'x-websocket': {
      path: `${BASE_PATH}/events`,
      description: WEBSOCKET,
      'client-frames': refs(links.webSocket.client),
      'server-frames': refs(links.webSocket.server),
    },
    'x-serial': {
      description: SERIAL,
      'host-frames': refs(links.serial.host),
      'device-frames': refs(links.serial.device),
    },
    // Last, when every reference has been seen.
    components: { schemas: schemas.schemas, responses },
  };
}

function tagIndex({ tag }: Endpoint): number {
  const index = TAGS.findIndex(({ name }) => name === tag);
  return index < 0 ? TAGS.length : index;
}

const METHOD_ORDER = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];

function pathOrder(a: Endpoint, b: Endpoint): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return METHOD_ORDER.indexOf(a.method) - METHOD_ORDER.indexOf(b.method);
}

function operation(
  operationId: string,
  endpoint: Endpoint,
  schemas: Components,
  responses: JsonObject,
): JsonObject {
  const { tag, summary, description, body, upload } = endpoint;
  const example = operationExamples[operationId] ?? {};
  const parameters = [...parametersIn('path', endpoint.params, schemas, example.path)].concat(
    parametersIn('query', endpoint.query, schemas),
  );
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: json(body, schemas, example.request) } } : {}),
    ...(upload
      ? {
          requestBody: {
            required: true,
            description: upload.description,
            ...(upload.maxBytes === undefined ? {} : { 'x-max-bytes': upload.maxBytes }),
            content: { [upload.contentTypes[0]]: { schema: BYTES } },
          },
        }
      : {}),
    responses: { [endpoint.status]: success(endpoint, schemas, example), ...failures(endpoint, responses) },
  };
}

/** @param example undefined: the operation has none */
function json(schema: TSchema, schemas: Components, example: Json | undefined): JsonObject {
  return {
    'application/json': { schema: schemas.ref(schema), ...(example === undefined ? {} : { example }) },
  };
}

function parametersIn(
  place: 'path' | 'query',
  schema: TSchema | undefined,
  schemas: Components,
  examples: Readonly<Record<string, string>> = {},
): JsonObject[] {
  if (!schema) return [];
  const table = JSON.parse(JSON.stringify(schema)) as {
    properties: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(table.properties).map(([name, of]) => ({
    name,
    in: place,
    required: table.required?.includes(name) ?? false,
    schema: schemas.ref(of),
    ...(examples[name] === undefined ? {} : { example: examples[name] }),
  }));
}

/** Where the operation is that a request has begun. */
const OPERATION_LINKS = {
  operation: {
    operationId: 'getOperation',
    parameters: { id: '$response.body#/operation_id' },
    description: 'How it goes',
  },
};
const OPERATION_HEADERS = {
  Location: { description: 'Path of the operation, on HTTP', schema: { type: 'string' } },
};

function success(
  { status, response, download }: Endpoint,
  schemas: Components,
  example: OperationExample,
): JsonObject {
  const description = { 200: 'Done', 202: 'Accepted', 204: 'Done, nothing to say' }[status];
  if (response) {
    const content = json(response, schemas, example.response);
    if (response !== Operation || status !== 202) return { description, content };
    return { description, headers: OPERATION_HEADERS, content, links: OPERATION_LINKS };
  }
  if (download) {
    const { contentType } = download;
    const schema = TEXT_TYPE.test(contentType) ? { type: 'string' } : BYTES;
    return { description: download.description, content: { [contentType]: { schema } } };
  }
  return { description };
}

/** One response per status, which lists all codes of that status. */
function failures(endpoint: Endpoint, responses: JsonObject): JsonObject {
  const byStatus = Map.groupBy(errorsOf(endpoint), ({ status }) => status);
  return Object.fromEntries([...byStatus].map(([status, errors]) => [status, failure(errors, responses)]));
}

function failure(errors: readonly ErrorRef[], responses: JsonObject): JsonObject {
  const all = errors.map(errorDefinition);
  const codes = all.map(({ code }) => code);
  const name = codes.join('-or-');
  const isBusy = all.some(({ status }) => status === 429);
  responses[name] ??= {
    ...(isBusy && {
      headers: { 'Retry-After': { description: 'Seconds, on HTTP', schema: { type: 'integer' } } },
    }),
    description: all.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n'),
    content: {
      'application/json': {
        schema: {
          $ref: '#/components/schemas/Error',
          properties: { error: { type: 'object', properties: { code: { type: 'string', enum: codes } } } },
        },
      },
    },
  };
  return { $ref: `#/components/responses/${name}` };
}

/** The only path that is not an endpoint of the app: the WebSocket. */
function eventsOperation(responses: JsonObject): JsonObject {
  return {
    operationId: 'openEvents',
    tags: ['Events'],
    summary: 'WebSocket of events and page messages',
    description:
      'The AsyncAPI document describes its frames (`GET /asyncapi.yaml`), and so does `x-websocket`. A plain GET is 400.',
    responses: {
      101: { description: 'Switched to the WebSocket protocol' },
      400: failure(['bad_request'], responses),
      403: failure(['forbidden'], responses),
      429: failure(['too_many_requests'], responses),
      500: failure(['internal'], responses),
      503: failure(['unavailable'], responses),
    },
  };
}
