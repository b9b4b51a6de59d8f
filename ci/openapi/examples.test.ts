import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as contract from '../../agent/src/resources/contract.ts';
import { frameExamples, operationExamples, payloads } from './examples/index.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { openApi } from './openapi.ts';

const require = createRequire(import.meta.url);
const Ajv2020: typeof import('ajv/dist/2020.js').Ajv2020 = require('ajv/dist/2020.js').Ajv2020;

const document: JsonObject = JSON.parse(JSON.stringify(openApi(contract)));
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: 'vitrine:', components: closed(document.components ?? null) });

/** Schemas of answers allow fields that they do not name. Here they do not, so that a misspelt one is found. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, closed(child)]);
  const all: JsonObject = Object.fromEntries(entries);
  return isObject(value.properties) ? { unevaluatedProperties: false, ...all } : all;
}

/** Checks a value against a schema of the document. */
function assertFits(value: Json | undefined, schema: Json | undefined, what: string): void {
  assert.ok(value !== undefined, `${what} has no example`);
  assert.ok(isObject(schema), what);
  const text = JSON.stringify(closed(schema)).replaceAll('"#/components', '"vitrine:#/components');
  const validate = ajv.compile(JSON.parse(text));
  assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
}

function part(value: Json | undefined, ...keys: string[]): Json | undefined {
  let found = value;
  for (const key of keys) found = isObject(found) ? found[key] : undefined;
  return found;
}

function* operations(): Generator<[string, JsonObject]> {
  for (const methods of Object.values(isObject(document.paths) ? document.paths : {})) {
    for (const operation of Object.values(isObject(methods) ? methods : {})) {
      if (isObject(operation)) yield [String(operation.operationId), operation];
    }
  }
}

test('every JSON body and parameter in a path has an example that fits its schema', () => {
  let bodies = 0;
  for (const [id, { requestBody, responses, parameters }] of operations()) {
    const answers = Object.entries(isObject(responses) ? responses : {});
    const contents = [
      ['request', part(requestBody, 'content', 'application/json')] as const,
      ...answers.map(([status, answer]) => [status, part(answer, 'content', 'application/json')] as const),
    ];
    for (const [place, media] of contents) {
      if (!isObject(media)) continue;
      assertFits(media.example, media.schema, `${id} ${place}`);
      bodies += 1;
    }
    for (const parameter of Array.isArray(parameters) ? parameters : []) {
      if (part(parameter, 'in') !== 'path') continue;
      assertFits(part(parameter, 'example'), part(parameter, 'schema'), `${id} ${part(parameter, 'name')}`);
    }
  }
  assert.ok(bodies > 60, String(bodies));
});

test('the payload of every topic has an example that fits its schema', () => {
  for (const { name } of contract.topics) {
    assertFits(payloads[name], part(document, 'x-events', name, 'payload'), name);
  }
});

test('every frame has examples that fit its schema', () => {
  const schemas = part(document, 'components', 'schemas');
  const frames = Object.keys(isObject(schemas) ? schemas : {}).filter((name) => name.endsWith('Frame'));
  assert.ok(frames.length > 10);
  for (const name of frames.filter((frame) => frame !== 'EventFrame')) {
    const examples = frameExamples[name] ?? [];
    assert.ok(examples.length > 0, `${name} has no example`);
    for (const example of examples) assertFits(example, part(schemas, name), name);
  }
});

test('no example is left of an operation, topic or frame that is gone', () => {
  const ids = new Set([...operations()].map(([id]) => id));
  for (const id of Object.keys(operationExamples)) assert.ok(ids.has(id), id);
  assert.deepEqual(new Set(Object.keys(payloads)), new Set(contract.topics.map(({ name }) => name)));
  for (const name of Object.keys(frameExamples)) {
    assert.ok(part(document, 'components', 'schemas', name) !== undefined, name);
  }
});
