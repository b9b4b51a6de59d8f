import type { TSchema } from 'typebox';
import { BASE_PATH, INTERFACE_VERSION } from '../../contract/api.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { ErrorEnvelopeSchema } from '../../contract/shared.ts';
import type { Topic } from '../../contract/topics.ts';
import { frames } from './frames.ts';
import { ABOUT, SERIAL, TAGS, WEBSOCKET } from './texts.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** An OpenAPI 3.1 document, as far as we read it ourselves. */
export interface OpenApi {
  openapi: string;
  info: JsonObject;
  servers: Json[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, JsonObject>>;
  components: { schemas: JsonObject; responses: JsonObject };
  'x-errors': JsonObject;
  'x-events': JsonObject;
  'x-websocket': JsonObject;
  'x-serial': JsonObject;
}

/** Codes that an endpoint can answer besides those that it declares. */
function commonCodes(endpoint: Endpoint): ErrorCode[] {
  const codes: ErrorCode[] = ['forbidden', 'too_many_requests', 'internal'];
  const reads = endpoint.params ?? endpoint.query ?? endpoint.body ?? endpoint.upload;
  // A body that an endpoint does not want is read all the same, and must be JSON.
  if (reads || endpoint.method !== 'GET') codes.push('bad_request');
  if (endpoint.method !== 'GET') {
    codes.push('payload_too_large', endpoint.upload?.wrongType ?? 'unsupported_media_type');
  }
  return codes;
}

/** Every error code that an endpoint can answer, in the order of the error table. */
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<string>([...endpoint.errors, ...commonCodes(endpoint)]);
  return Object.keys(ERRORS).filter((code): code is ErrorCode => codes.has(code));
}

/** The machine-readable contract (interface: Endpoints, openapi.yaml). Built when asked for, never at start. */
export function openApi(endpoints: readonly Endpoint[], topics: readonly Topic[]): OpenApi {
  const schemas = new SchemaTable();
  const responses: JsonObject = {};
  schemas.ref({ ...ErrorEnvelopeSchema, $id: 'Error' });
  const paths: OpenApi['paths'] = {};
  const order = [...endpoints].sort((a, b) => tagIndex(a) - tagIndex(b) || pathOrder(a, b));
  for (const endpoint of order) {
    const path = paths[endpoint.path] ?? {};
    paths[endpoint.path] = path;
    path[endpoint.method.toLowerCase()] = operation(endpoint, schemas, responses);
  }
  paths['/events'] = { get: eventsOperation(responses) };
  const links = frames(topics);
  const refs = (list: TSchema[]): Json => ({ oneOf: list.map((schema) => schemas.ref(schema)) });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vitrine',
      version: INTERFACE_VERSION,
      summary: 'Display appliance management interface',
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: BASE_PATH }],
    tags: TAGS,
    paths,
    'x-errors': Object.fromEntries(
      Object.entries(ERRORS).map(([code, { status, message }]) => [code, { status, message }]),
    ),
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
    components: { schemas: schemas.components, responses },
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

/** Turns schemas into JSON, each one with an `$id` into a component and a reference to it. */
class SchemaTable {
  readonly components: JsonObject = {};

  ref(schema: TSchema): Json {
    return this.#convert(JSON.parse(JSON.stringify(schema)));
  }

  #convert(value: Json): Json {
    if (Array.isArray(value)) return value.map((item) => this.#convert(item));
    if (typeof value !== 'object' || value === null) return value;
    const { $id: id, ...rest } = value;
    const converted = Object.fromEntries(
      Object.entries(rest).map(([key, child]) => [key, this.#convert(child)]),
    );
    if (typeof id !== 'string') return converted;
    const known = this.components[id];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(converted)) {
      throw new Error(`two schemas are called ${id}`);
    }
    this.components[id] = converted;
    return { $ref: `#/components/schemas/${id}` };
  }
}

function operation(endpoint: Endpoint, schemas: SchemaTable, responses: JsonObject): JsonObject {
  const { method, path, tag, summary, description, body, upload } = endpoint;
  const parameters = [...parametersIn('path', endpoint.params, schemas)].concat(
    parametersIn('query', endpoint.query, schemas),
  );
  return {
    operationId: operationId(method, path),
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: true, content: { 'application/json': { schema: schemas.ref(body) } } } }
      : {}),
    ...(upload
      ? {
          requestBody: {
            required: true,
            description: upload.description,
            ...(upload.maxBytes === undefined ? {} : { 'x-max-bytes': upload.maxBytes }),
            content: Object.fromEntries(upload.contentTypes.map((type) => [type, {}])),
          },
        }
      : {}),
    responses: { [endpoint.status]: success(endpoint, schemas), ...failures(endpoint, responses) },
  };
}

function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return [method.toLowerCase(), ...words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)].join('');
}

function parametersIn(
  place: 'path' | 'query',
  schema: TSchema | undefined,
  schemas: SchemaTable,
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
  }));
}

function success({ status, response, download }: Endpoint, schemas: SchemaTable): JsonObject {
  const description = { 200: 'Done', 202: 'Accepted', 204: 'Done, nothing to say' }[status];
  if (response) {
    return { description, content: { 'application/json': { schema: schemas.ref(response) } } };
  }
  if (download) return { description: download.description, content: { [download.contentType]: {} } };
  return { description };
}

/** One response a status, naming every code that comes with it. */
function failures(endpoint: Endpoint, responses: JsonObject): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(endpoint)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(statuses.map(([status, codes]) => [status, failure(codes, responses)]));
}

function failure(codes: ErrorCode[], responses: JsonObject): JsonObject {
  const name = codes.join('-or-');
  responses[name] ??= {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n'),
    content: {
      'application/json': {
        schema: {
          $ref: '#/components/schemas/Error',
          properties: { error: { type: 'object', properties: { code: { enum: codes } } } },
        },
      },
    },
  };
  return { $ref: `#/components/responses/${name}` };
}

/** The one path that is no endpoint of the app: the WebSocket. */
function eventsOperation(responses: JsonObject): JsonObject {
  return {
    operationId: 'getEvents',
    tags: ['Events'],
    summary: 'WebSocket of events and page messages',
    description: 'See `x-websocket` for its frames. A plain GET is 400.',
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
