/** Every operation as a command or program that works when it is copied. Pure. */
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { OpenApi } from '../openapi.ts';
import { jsonLiteral, pythonLiteral, typescriptLiteral, typescriptString } from './literal.ts';
import { exampleOf, sampleBody, sampleValue } from './sample-value.ts';

/** Where a device is that is on the cable alone. The page's script replaces it by where the page is from. */
export const ORIGIN = 'http://10.55.77.1';

export const SAMPLE_KINDS = ['curl', 'TypeScript', 'Python', 'Serial'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

/** A request with a value for everything that is required. */
export interface SampleRequest {
  /** In upper case. */
  method: string;
  /** As the document has it, `/content/{name}`. */
  path: string;
  params: JsonObject;
  query: JsonObject;
  /** The JSON body; undefined for none. */
  json: Json | undefined;
  /** A file that is sent. */
  file: { name: string; type: string } | undefined;
  /** File for an answer that is not JSON; undefined for others. */
  saveAs: string | undefined;
  /** Whether the answer has a body. */
  hasAnswer: boolean;
  /** Whether the answer has the id of an operation that goes on. */
  hasOperation: boolean;
}

/** The WebSocket has the only path that is not a request and an answer. */
const EVENTS_PATH = '/events';
const TOPICS = ['display_state', 'health'];
const JSON_TYPE = 'application/json';
/** Names of files by their media type, without parameters. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/octet-stream': 'raucb',
  'application/openmetrics-text': 'txt',
  'application/x-pem-file': 'pem',
  'application/yaml': 'yaml',
  'application/zip': 'zip',
  'image/png': 'png',
  'text/html': 'html',
};

/** @throws Error for a media type without a file name */
export function sampleRequest(document: OpenApi, path: string, method: string): SampleRequest {
  const { schemas } = document.components;
  const operation = object(document.paths[path]?.[method]);
  const parameters = (Array.isArray(operation.parameters) ? operation.parameters : []).map(object);
  const valuesIn = (place: string): JsonObject =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && one.required === true)
        .map((one) => [String(one.name), exampleOf(one) ?? sampleValue(one.schema, schemas)]),
    );
  const [sent] = mediaOf(operation.requestBody);
  const [response] = Object.entries(object(operation.responses))
    .filter(([status]) => Number(status) < 300)
    .map(([, one]) => object(one));
  const [received] = mediaOf(response);
  const params = valuesIn('path');
  const isFile = sent !== undefined && sent[0] !== JSON_TYPE;
  return {
    method: method.toUpperCase(),
    path,
    params,
    query: valuesIn('query'),
    json: sent && !isFile ? sampleBody(sent[1], schemas) : undefined,
    file: isFile ? { name: fileName(path, params, sent[0]), type: sent[0] } : undefined,
    saveAs: received && received[0] !== JSON_TYPE ? fileName(path, params, received[0]) : undefined,
    hasAnswer: received !== undefined,
    hasOperation: 'operation' in object(response?.links),
  };
}

/** The request in each language. */
export function samplesOf(request: SampleRequest): Record<SampleKind, string> {
  if (request.path === EVENTS_PATH) return EVENT_SAMPLES;
  return {
    curl: curl(request),
    TypeScript: typescript(request),
    Python: python(request),
    Serial: serial(request),
  };
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function mediaOf(body: Json | undefined): [string, JsonObject][] {
  return Object.entries(object(object(body).content)).map(([type, media]) => [type, object(media)]);
}

/** `/display/screenshot` as PNG is `screenshot.png`, the bundle `menu` is `menu.zip`. */
function fileName(path: string, params: JsonObject, mediaType: string): string {
  const extension = EXTENSIONS[mediaType.split(';', 1)[0] ?? ''];
  if (extension === undefined) throw new Error(`${path}: add a file extension for ${mediaType}`);
  const last = path.split('/').at(-1) ?? '';
  const name = last.startsWith('{') ? String(params[last.slice(1, -1)]) : last;
  return name.endsWith(`.${extension}`) ? name : `${name}.${extension}`;
}

/** The path with the values of its parameters, and the query. */
function filled({ path, params, query }: SampleRequest): string {
  const whole = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length === 0 ? whole : `${whole}?${new URLSearchParams(pairs)}`;
}

function curl(request: SampleRequest): string {
  const { method, json, file, saveAs } = request;
  const first = ['curl'];
  // curl sends a file with PUT, and everything else with GET.
  if (method !== 'GET' && !file) first.push('-X', method);
  if (saveAs !== undefined) first.push('-o', saveAs);
  first.push(shellWord(`${ORIGIN}/api/v1${filled(request)}`));
  const lines = [first.join(' ')];
  const type = file?.type ?? (json === undefined ? undefined : JSON_TYPE);
  if (type !== undefined) lines.push(`-H ${shellWord(`content-type: ${type}`)}`);
  if (json !== undefined) lines.push(`-d ${shellWord(jsonLiteral(json))}`);
  if (file) lines.push(`-T ${file.name}`);
  return lines.join(' \\\n  ');
}

/** A word of a POSIX shell. Between single quotes everything is itself. */
function shellWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function typescript(request: SampleRequest): string {
  const { path, params, query, json, file, saveAs, hasAnswer, hasOperation } = request;
  const options: JsonObject = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(json !== undefined && { json }),
  };
  const method = request.method.toLowerCase();
  // The library has no function for JSON that is sent with PUT.
  const isOther = method === 'put' && !file;
  const args = [typescriptString(isOther ? filled(request) : path)];
  if (isOther) args.unshift(typescriptString(request.method));
  if (file) args.push('file');
  const given = isOther ? { json: json ?? null } : options;
  if (Object.keys(given).length > 0) args.push(typescriptLiteral(given));
  const verb = isOther ? 'request' : file ? 'upload' : saveAs === undefined ? method : 'download';
  const call = `device.${verb}(${args.join(', ')})`;
  const sent = file ? `withFile(${typescriptString(file.name)}, (file) =>\n  ${indented(call)},\n)` : call;
  const lines = (): string[] => {
    if (saveAs !== undefined) {
      return [`const bytes = await ${sent};`, `await writeFile(${typescriptString(saveAs)}, bytes);`];
    }
    if (hasOperation) {
      return [
        `const { operation_id } = await ${sent};`,
        'console.log(await device.waitOperation(operation_id));',
      ];
    }
    if (!hasAnswer) return [`await ${sent};`];
    return [`const ${isOther ? '{ status, body }' : 'answer'} = await ${sent};`, printed(isOther)];
  };
  return [
    ...(saveAs === undefined ? [] : ["import { writeFile } from 'node:fs/promises';"]),
    `import { connect${file ? ', withFile' : ''} } from '@vitrine/client';`,
    '',
    `const device = await connect('${ORIGIN}');`,
    ...lines(),
    'await device.close();',
  ].join('\n');
}

function printed(isOther: boolean): string {
  return isOther ? 'console.log(status, body);' : 'console.log(answer);';
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

function python(request: SampleRequest): string {
  const { json, file, saveAs, hasAnswer, hasOperation } = request;
  const method = request.method.toLowerCase();
  const isOther = method === 'put' && !file;
  const args = [JSON.stringify(filled(request))];
  if (isOther) args.unshift(JSON.stringify(request.method));
  if (file) args.push(JSON.stringify(file.name));
  if (json !== undefined) args.push(`${isOther ? 'json=' : ''}${pythonLiteral(json)}`);
  const verb = isOther ? 'request' : file ? 'upload' : saveAs === undefined ? method : 'download';
  const call = `device.${verb}(${args.join(', ')})`;
  const lines = (): string[] => {
    if (saveAs !== undefined) return [`Path(${JSON.stringify(saveAs)}).write_bytes(${call})`];
    if (hasOperation) return [`started = ${call}`, 'print(device.wait_operation(started["operation_id"]))'];
    return [hasAnswer ? `print(${call})` : call];
  };
  return [
    ...(saveAs === undefined ? [] : ['from pathlib import Path', '']),
    'import vitrine',
    '',
    `with vitrine.connect("${ORIGIN}") as device:`,
    ...lines().map((line) => `    ${line.replaceAll('\n', '\n    ')}`),
  ].join('\n');
}

/** The lines that the host sends. A file follows in chunks. */
function serial(request: SampleRequest): string {
  const { method, json, file } = request;
  const frame: JsonObject = { id: 1, type: 'request', method, path: `/api/v1${filled(request)}` };
  if (json !== undefined) frame.body = json;
  if (!file) return JSON.stringify(frame);
  const chunk = { id: 1, type: 'request_chunk', seq: 0, last: true };
  const data = Buffer.from(`content of ${file.name}`).toString('base64');
  return `${JSON.stringify({ ...frame, body_b64: '' })}\n${JSON.stringify({ ...chunk, data_b64: data })}`;
}

const EVENT_SAMPLES: Record<SampleKind, string> = {
  curl: [
    '# curl cannot subscribe; the command of @vitrine/client can:',
    `vitrine --host ${ORIGIN} events ${TOPICS.join(' ')}`,
  ].join('\n'),
  TypeScript: [
    "import { connect } from '@vitrine/client';",
    '',
    `const device = await connect('${ORIGIN}');`,
    `const topics = ${typescriptLiteral(TOPICS)} as const;`,
    'for await (const event of device.events(topics)) {',
    '  console.log(event.topic, event.payload);',
    '}',
  ].join('\n'),
  Python: [
    'import vitrine',
    '',
    `with vitrine.connect("${ORIGIN}") as device:`,
    `    for event in device.events(${TOPICS.map((topic) => JSON.stringify(topic)).join(', ')}):`,
    '        print(event["topic"], event["payload"])',
  ].join('\n'),
  Serial: JSON.stringify({ type: 'subscribe', topics: TOPICS }),
};
