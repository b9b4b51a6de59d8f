import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { ERRORS } from '../../contract/errors.ts';
import { TOPICS } from '../../contract/topics.ts';
import { asset } from '../../system/assets.ts';
import { endpoints, endpointsById, topics } from '../all.ts';
import type { Json, JsonObject } from './json.ts';
import { errorCodesOf, openApi } from './openapi.ts';
import { documentRoutes, openApiYaml } from './routes.ts';
import { getDocs } from './schema.ts';
import { toYaml } from './yaml.ts';

const require = createRequire(import.meta.url);
const Ajv2020: typeof import('ajv/dist/2020.js').Ajv2020 = require('ajv/dist/2020.js').Ajv2020;

const document = openApi(endpointsById, topics);

/** Every object in the document with where it is. */
function* objectsIn(value: Json, path = ''): Generator<[string, JsonObject]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* objectsIn(item, `${path}/${index}`);
  } else if (typeof value === 'object' && value !== null) {
    yield [path, value];
    for (const [key, child] of Object.entries(value)) yield* objectsIn(child, `${path}/${key}`);
  }
}

function whole(): JsonObject {
  return JSON.parse(JSON.stringify(document));
}

function at(pointer: string): Json | undefined {
  let value: Json | undefined = whole();
  for (const key of pointer.split('/').slice(1)) {
    value = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[key] : undefined;
  }
  return value;
}

/** Where OpenAPI 3.1 has a schema object. */
function schemas(): [string, Json][] {
  const found: [string, Json][] = Object.entries(document.components.schemas);
  for (const [path, value] of objectsIn(whole())) {
    if ('schema' in value && !path.startsWith('/components/schemas')) {
      found.push([`${path}/schema`, value.schema ?? null]);
    }
  }
  return found;
}

describe('the OpenAPI document', () => {
  test('has every endpoint once, with parameters for what its path spells', () => {
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
    const ids = [...objectsIn(whole())]
      .map(([, { operationId }]) => operationId)
      .filter((id) => id !== undefined);
    assert.equal(new Set(ids).size, ids.length);
  });

  test('has every section of the interface', () => {
    const paths = new Set(Object.keys(document.paths));
    const interfacePaths =
      '/device /device/health /device/logs /device/reboot /device/shutdown /device/factory-reset /network /display ' +
      '/display/screens /display/navigate /display/bundle /display/waiting /display/reload /display/restart-browser ' +
      '/display/screen /display/screenshot /display/execute-js /page/message /page/status /content /content/{name} ' +
      '/content/{name}/check /config /files/splash /files/splash/shutdown /files/certificates/ca ' +
      '/files/certificates/server /audio /update /update/bundle /update/apply /operations/{id} /input/devices ' +
      '/nfc/readers /nfc/transceive /nfc/ndef/write /nfc/reader/feedback /wifi /wifi/scan /wifi/networks ' +
      '/wifi/connect /wifi/ap /bluetooth /bluetooth/power /bluetooth/scan /bluetooth/devices /bluetooth/pair ' +
      '/bluetooth/remove /events /openapi.yaml /docs';
    assert.deepEqual(paths, new Set(interfacePaths.split(' ')));
    assert.deepEqual(new Set(Object.keys(document['x-events'])), new Set(TOPICS));
    assert.deepEqual(Object.keys(document['x-errors']), Object.keys(ERRORS));
  });

  test('every schema is one of JSON Schema 2020-12, and compiles strictly', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictTuples: false, allErrors: true });
    ajv.addVocabulary(['x-applied', 'components']);
    ajv.addSchema({ $id: 'vitrine:', components: { schemas: document.components.schemas } });
    for (const [path, schema] of schemas()) {
      assert.ok(ajv.validateSchema(schema as object), `${path}: ${ajv.errorsText()}`);
      const text = JSON.stringify(schema).replaceAll('"#/components', '"vitrine:#/components');
      assert.doesNotThrow(() => ajv.compile(JSON.parse(text)), path);
    }
  });

  test('every reference leads somewhere, and every component is used', () => {
    const used = new Set<string>();
    for (const [path, { $ref }] of objectsIn(whole())) {
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

  test('every endpoint names each of its error codes at the status of the code', () => {
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
        new Set(errorCodesOf(endpoint).map((code) => `${code} ${ERRORS[code].status}`)),
        `${endpoint.method} ${endpoint.path}`,
      );
    }
  });

  test('every operation belongs to a listed tag', () => {
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { tag, path } of endpoints) assert.ok(tags.has(tag), `${path}: ${tag}`);
  });

  test('is served and committed as it is generated', async () => {
    const committed = await readFile(new URL('../../../../docs/openapi.yaml', import.meta.url), 'utf8');
    assert.deepEqual(parse(openApiYaml()), whole());
    assert.equal(committed.slice(committed.indexOf('\n') + 1), openApiYaml(), 'run npm run generate');
  });
});

describe('YAML', () => {
  test('is read back as what was written, whatever the strings hold', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('on', '200', 'a b', '- x', '', '#', 'a: b'));
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
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
      { numRuns: 300 },
    );
  });
});

describe('the page for people', () => {
  const page = async () => {
    const route = documentRoutes(asset).find(({ endpoint }) => endpoint === getDocs);
    const bytes = await route?.handler({
      params: undefined,
      query: undefined,
      body: undefined,
      upload: undefined,
      uploadBytes: undefined,
      afterAnswer: () => assert.fail('nothing to do later'),
    });
    assert.ok(bytes instanceof Uint8Array);
    return Buffer.from(bytes).toString('utf8');
  };

  test('has every endpoint, topic, code and shape, and leads nowhere that is not there', async () => {
    const html = await page();
    const anchors = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, target] of html.matchAll(/ href="#([^"]+)"/g)) {
      assert.ok(anchors.has(target), `#${target} is not on the page`);
    }
    for (const name of TOPICS) assert.ok(anchors.has(`topic-${name}`), name);
    for (const code of Object.keys(ERRORS)) assert.ok(anchors.has(`error-${code}`), code);
    for (const name of Object.keys(document.components.schemas))
      assert.ok(anchors.has(`shape-${name}`), name);
    for (const { path } of endpoints) assert.ok(html.includes(`<code>${path}</code>`), path);
  });

  test('loads nothing', async () => {
    const html = await page();
    assert.doesNotMatch(html, /<script|<link|<img|<iframe|@import|url\(/);
    for (const [, target] of html.matchAll(/ href="([^"#][^"]*)"/g)) assert.equal(target, 'openapi.yaml');
  });
});
