import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { parse } from 'yaml';
import { errorsOf } from '../../agent/src/contract/endpoint.ts';
import * as contract from '../../agent/src/resources/contract.ts';
import { repetitions } from '../../testing/long-runs.ts';
import { openApiYaml } from './generate.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { openApi } from './openapi.ts';
import { toYaml } from './yaml.ts';

const require = createRequire(import.meta.url);
const Ajv2020: typeof import('ajv/dist/2020.js').Ajv2020 = require('ajv/dist/2020.js').Ajv2020;

const { endpoints } = contract;
/** Every topic and error code of the API: clients rely on these names. */
const TOPICS = (
  'display_state page_message page_channel page_console operation health input_raw log splash_changed config_changed ' +
  'network_changed nfc_tag nfc_tag_removed nfc_reader_connected nfc_reader_disconnected wifi_changed ' +
  'bluetooth_changed peripherals_changed update_changed certificates_changed'
).split(' ');
const ERROR_CODES = (
  'bad_request forbidden not_found method_not_allowed conflict payload_too_large unsupported_media_type ' +
  'too_many_requests internal not_implemented unavailable insufficient_storage content_not_found bundle_in_use ' +
  'bundle_invalid screen_not_found script_error script_timeout page_channel_closed confirm_mismatch nfc_disabled ' +
  'invalid_state nfc_tag_unsupported wifi_unsupported wifi_disabled bluetooth_unsupported bluetooth_disabled ' +
  'operation_not_found remote_input_disabled bad_frame'
).split(' ');
const document = openApi(contract);

/** Every object in the document with its path. */
function* objectsIn(value: Json, path = ''): Generator<[string, JsonObject]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* objectsIn(item, `${path}/${index}`);
  } else if (typeof value === 'object' && value !== null) {
    yield [path, value];
    for (const [key, child] of Object.entries(value)) yield* objectsIn(child, `${path}/${key}`);
  }
}

const whole: JsonObject = JSON.parse(JSON.stringify(document));

function at(pointer: string): Json | undefined {
  let value: Json | undefined = whole;
  for (const key of pointer.split('/').slice(1)) {
    value = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[key] : undefined;
  }
  return value;
}

function operations(): JsonObject[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods));
}

/** Every object of a part of the document, and of the components that it refers to. */
function* reachedFrom(part: Json, seen = new Set<string>()): Generator<[string, JsonObject]> {
  for (const [path, schema] of objectsIn(part)) {
    yield [path, schema];
    const { $ref } = schema;
    if (typeof $ref !== 'string' || seen.has($ref)) continue;
    seen.add($ref);
    for (const [below, inner] of reachedFrom(at($ref.slice(1)) ?? null, seen))
      yield [`${$ref}${below}`, inner];
  }
}

/** Where OpenAPI 3.1 has a schema object. */
function schemas(): [string, Json][] {
  const found: [string, Json][] = Object.entries(document.components.schemas);
  for (const [path, value] of objectsIn(whole)) {
    // An example of the configuration has a field of this name.
    if ('schema' in value && !path.startsWith('/components/schemas') && !/\/example(?:\/|$)/.test(path)) {
      found.push([`${path}/schema`, value.schema ?? null]);
    }
  }
  return found;
}

describe('the OpenAPI document', () => {
  test('has every endpoint once, with the parameters of its path', () => {
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const declared = endpoints.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(new Set(listed), new Set([...declared, 'GET /events']));
    assert.equal(listed.length, new Set(declared).size + 1);
    for (const { path, params } of endpoints) {
      const spelt = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      assert.deepEqual(Object.keys(params?.properties ?? {}), spelt, path);
    }
  });

  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(whole));
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.deepEqual(document.security, [], 'no call carries a credential');
  });

  test('has every path, topic and error code', () => {
    const paths = new Set(Object.keys(document.paths));
    const expected =
      '/device /device/diagnostics /device/health /device/logs /device/peripherals /device/reboot /device/shutdown /device/factory-reset /network /display ' +
      '/display/screens /display/navigate /display/bundle /display/waiting /display/reload /display/restart-browser ' +
      '/display/screen /display/screenshot /display/execute-js /page/message /page/status /content /content/{name} ' +
      '/content/{name}/check /config /files/splash /files/splash/shutdown /files/certificates /files/certificates/ca ' +
      '/files/certificates/server /audio /update /update/bundle /update/apply /operations/{id} /input/devices /input/inject ' +
      '/nfc/readers /nfc/transceive /nfc/ndef/write /nfc/reader/feedback /wifi /wifi/scan /wifi/networks ' +
      '/wifi/connect /wifi/ap /bluetooth /bluetooth/power /bluetooth/scan /bluetooth/devices /bluetooth/pair ' +
      '/bluetooth/remove /display/clear-data /metrics /events /openapi.yaml /asyncapi.yaml /docs';
    assert.deepEqual(paths, new Set(expected.split(' ')));
    assert.deepEqual(new Set(Object.keys(document['x-events'])), new Set(TOPICS));
    assert.deepEqual(new Set(Object.keys(document['x-errors'])), new Set(ERROR_CODES));
  });

  test('every schema is valid JSON Schema 2020-12 and compiles in strict mode', () => {
    const ajv = new Ajv2020({
      ...{ strict: true, strictTypes: false, strictTuples: false, allErrors: true, validateFormats: false },
    });
    ajv.addVocabulary(['x-applied', 'x-rule', 'components', 'discriminator']);
    ajv.addSchema({ $id: 'vitrine:', components: { schemas: document.components.schemas } });
    for (const [path, schema] of schemas()) {
      assert.ok(ajv.validateSchema(schema as object), `${path}: ${ajv.errorsText()}`);
      const text = JSON.stringify(schema).replaceAll('"#/components', '"vitrine:#/components');
      assert.doesNotThrow(() => ajv.compile(JSON.parse(text)), path);
    }
  });

  test('every reference has a target, and every component is used', () => {
    const used = new Set<string>();
    for (const [path, { $ref }] of objectsIn(whole)) {
      if ($ref === undefined) continue;
      assert.equal(typeof $ref, 'string', path);
      assert.ok(at(String($ref).slice(1)) !== undefined, `${path} refers to ${String($ref)}`);
      used.add(String($ref));
    }
    for (const kind of ['schemas', 'responses'] as const) {
      for (const name of Object.keys(document.components[kind])) {
        assert.ok(used.has(`#/components/${kind}/${name}`), `${kind}/${name} is not used`);
        assert.match(name, /^[\w.-]+$/);
      }
    }
  });

  test('every endpoint lists each of its error codes under the right status', () => {
    for (const endpoint of endpoints) {
      const { responses } = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()] ?? {};
      const codes = Object.entries(responses ?? {}).flatMap(([status, response]) => {
        const name = Object.values(response ?? {})[0];
        if (typeof name !== 'string' || !name.startsWith('#/components/responses/')) return [];
        return name
          .slice('#/components/responses/'.length)
          .split('-or-')
          .map((code) => [code, Number(status)]);
      });
      assert.deepEqual(
        new Set(codes.map(([code, status]) => `${code} ${status}`)),
        new Set(errorsOf(endpoint).map(({ code, status }) => `${code} ${status}`)),
        `${endpoint.method} ${endpoint.path}`,
      );
    }
  });

  test('every operation belongs to a listed tag', () => {
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { tag, path } of endpoints) assert.ok(tags.has(tag), `${path}: ${tag}`);
  });

  test('every operation has a readable name and a description', () => {
    const named = operations();
    const ids = named.map(({ operationId }) => String(operationId));
    for (const id of ['uploadBundle', 'getDevice', 'navigate', 'patchConfig'])
      assert.ok(ids.includes(id), id);
    assert.equal(
      new Set(ids.map((id) => id.toLowerCase())).size,
      ids.length,
      'names differ by more than case',
    );
    for (const { operationId, description, summary } of named) {
      assert.match(String(operationId), /^[a-z][A-Za-z]+$/);
      assert.ok(typeof description === 'string' && description.endsWith('.'), String(operationId));
      assert.ok(typeof summary === 'string' && summary !== description, String(operationId));
    }
  });

  test('is committed as it is generated, and its YAML is read back as the same document', async () => {
    const committed = await readFile(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8');
    assert.deepEqual(parse(openApiYaml()), whole);
    assert.equal(committed.slice(committed.indexOf('\n') + 1), openApiYaml(), 'run npm run generate');
  });

  test('an answer that begins an operation links to it, and a 429 says when to try again', () => {
    let begun = 0;
    for (const { operationId, responses } of operations()) {
      const answers: JsonObject = isObject(responses) ? responses : {};
      const accepted = answers['202'];
      if (JSON.stringify(accepted)?.includes('schemas/Operation"')) {
        begun += 1;
        assert.ok(isObject(accepted) && isObject(accepted.links) && isObject(accepted.headers));
        assert.deepEqual(Object.keys(accepted.headers), ['Location'], String(operationId));
        const { operation } = accepted.links;
        assert.ok(isObject(operation) && operation.operationId === 'getOperation');
        assert.deepEqual(operation.parameters, { id: '$response.body#/operation_id' });
      }
      const busy = answers['429'];
      assert.ok(isObject(busy), String(operationId));
      const shared = at(String(busy.$ref).slice(1));
      assert.ok(isObject(shared) && isObject(shared.headers) && 'Retry-After' in shared.headers);
    }
    assert.equal(begun, 2);
  });
});

describe('what generators of clients need', () => {
  test('no two components have names that differ by case only', () => {
    const names = Object.keys(document.components.schemas);
    assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
    for (const name of names) assert.match(name, /^[A-Z][A-Za-z0-9]+$/);
  });

  test('every enum has a type, and every map the schema of its values', () => {
    const objects = [...objectsIn(whole)];
    for (const [path, schema] of objects) {
      if (Array.isArray(schema.enum)) assert.equal(typeof schema.type, 'string', path);
      assert.ok(!('patternProperties' in schema), path);
    }
    assert.ok(objects.filter(([, schema]) => Array.isArray(schema.enum)).length > 20);
    assert.deepEqual(at('/components/schemas/DisplayConfig/properties/screens/additionalProperties'), {
      $ref: '#/components/schemas/ScreenConfig',
    });
  });

  test('every body has a schema, with format binary for bytes', () => {
    for (const { operationId, requestBody, responses } of operations()) {
      for (const body of [requestBody ?? {}, ...Object.values(responses ?? {})]) {
        const content = isObject(body) && isObject(body.content) ? body.content : {};
        for (const [type, media] of Object.entries(content)) {
          const schema = isObject(media) ? media.schema : undefined;
          assert.ok(isObject(schema), `${operationId} ${type}`);
          if (/zip|png|pem|octet-stream/.test(type)) assert.equal(schema.format, 'binary', `${operationId}`);
        }
        // Generators support only one content type for a body.
        assert.ok(Object.keys(content).length < 2, `${operationId}`);
      }
    }
    const bytes = operations().filter(({ requestBody }) => JSON.stringify(requestBody)?.includes('"binary"'));
    assert.equal(bytes.length, endpoints.filter(({ upload }) => upload).length);
  });

  test('optional fields of requests have no default, which clients would send', () => {
    for (const { operationId, requestBody } of operations()) {
      for (const [path, schema] of reachedFrom(requestBody ?? null)) {
        assert.ok(!('default' in schema), `${operationId}: ${path}`);
      }
    }
    assert.deepEqual(at('/components/schemas/WifiNetworkInput/required'), ['ssid']);
    assert.deepEqual(at('/components/schemas/WifiNetwork/required'), ['ssid', 'psk', 'priority']);
  });

  test('every group of the configuration is a component, and so is its patch', () => {
    const groups = [...objectsIn(at('/components/schemas/Config') ?? null)].filter(([path]) => path !== '');
    for (const [path, { type }] of groups) assert.notEqual(type, 'object', `Config${path}`);
    for (const name of Object.keys(document.components.schemas).filter((name) => name.endsWith('Config'))) {
      assert.ok(`${name}Patch` in document.components.schemas || name === 'Config', name);
    }
  });

  test('times and URLs have a format', () => {
    for (const [path, schema] of objectsIn(whole)) {
      const pattern = String(schema.pattern ?? '');
      if (/^\^\\d\{4\}-/.test(pattern)) assert.equal(schema.format, 'date-time', path);
      if (/^\^(?:https|\[Hh\])/.test(pattern)) assert.equal(schema.format, 'uri', path);
      if (path.endsWith('/properties/created')) assert.equal(schema.format, 'date-time');
      if (path.endsWith('/properties/url') && 'type' in schema) assert.equal(schema.format, 'uri', path);
    }
  });
});

describe('YAML', () => {
  test('is parsed back to the same value, whatever the strings contain', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('on', '200', 'a b', '- x', '', '#', 'a: b'));
    // fast-check's unit `binary` takes a second to set up.
    const character = fc
      .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10_ffff }))
      .map((point) => String.fromCodePoint(point));
    const text = fc.oneof(
      fc.string({ unit: character }),
      fc.constantFrom(
        'no',
        'null',
        '1e3',
        '0x1f',
        'a\nb',
        'a\n\n b\nc',
        ' a\nb',
        'a\nb\n',
        '~',
        '2020-01-01',
        "'",
        '|-',
      ),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.constantFrom<unknown>(null, true, 0, -1.5, 1e21),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, value, { minKeys: 1, noNullPrototype: true }), (tree) => {
        assert.deepEqual(parse(toYaml(tree)), JSON.parse(JSON.stringify(tree)));
      }),
      { numRuns: repetitions(60, 3000) },
    );
  });
});
