/** The samples are checked by the compilers of their languages, and run against a server that notes what it gets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import * as contract from '../../../agent/src/resources/contract.ts';
import { ROOT } from '../../lib/places.ts';
import { runTool } from '../../lib/tool.ts';
import type { Json, JsonObject } from '../json.ts';
import { openApi } from '../openapi.ts';
import { exampleOf, sampleBody, sampleValue } from './sample-value.ts';
import { ORIGIN, type SampleKind, type SampleRequest, sampleRequest, samplesOf } from './samples.ts';

const require = createRequire(import.meta.url);
const Ajv2020: typeof import('ajv/dist/2020.js').Ajv2020 = require('ajv/dist/2020.js').Ajv2020;

const TOOL_MS = 60_000;
const PACKAGE = '@vitrine/client';
const CLIENT = join(ROOT, 'client/index.ts');
/** Runs each program of a list, and says which one has failed. */
const RUN_ALL = `
import json, os, sys
sys.path.insert(0, os.path.join(sys.argv[1], "clients/python/src"))
for name, code in json.load(open("programs.json")):
    try:
        program = compile(code, name, "exec")
        # This one never ends.
        if name != "openEvents":
            exec(program, {})
    except Exception as error:
        sys.exit(f"{name}: {error!r}\\n{code}")
`;

const document = openApi(contract);
const samples: [string, SampleRequest][] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]): [string, SampleRequest] => [
    String(operationId),
    sampleRequest(document, path, method),
  ]),
);
/** All but the WebSocket. Uploads are first, since the file of a download may have the same name. */
const requests = samples
  .filter(([id]) => id !== 'openEvents')
  .sort(([, a], [, b]) => Number(b.file !== undefined) - Number(a.file !== undefined));

interface Got {
  method: string | undefined;
  url: string | undefined;
  type: string | undefined;
  body: string;
}

const got: Got[] = [];
/** Answers everything with the operation that it has begun, which is already done. */
const server = createServer(async (request, response) => {
  const { method, url, headers } = request;
  got.push({ method, url, type: headers['content-type'], body: await text(request) });
  response.setHeader('content-type', 'application/json');
  response.end('{"operation_id":"1","state":"done","progress":1}');
});
let folder = '';
let origin = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-samples-'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  origin = `http://127.0.0.1:${address.port}`;
});
beforeEach(async () => {
  got.length = 0;
  for (const [, { file }] of requests) if (file) await writeFile(join(folder, file.name), `the ${file.name}`);
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

function code(kind: SampleKind, request: SampleRequest): string {
  return samplesOf(request)[kind].replaceAll(ORIGIN, origin);
}

/** Fails if not exactly the requests have come, in their order. @param isTyped whether files come with their type */
function checkGot(isTyped: boolean): void {
  // While a program waits for an operation, it asks for it and for events.
  const own = got.filter(({ url }) => url !== '/api/v1/operations/1' && url !== '/api/v1/events');
  assert.equal(own.length, requests.length);
  for (const [index, [id, { method, path, params, json, file }]] of requests.entries()) {
    const sent = own[index];
    const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(params[name]));
    assert.deepEqual([sent?.method, sent?.url], [method, `/api/v1${filled}`], id);
    if (file) {
      assert.equal(sent?.body, `the ${file.name}`, id);
      assert.equal(sent?.type, isTyped ? file.type : 'application/octet-stream', id);
    } else if (json === undefined) assert.equal(sent?.body, '', id);
    else {
      assert.deepEqual(JSON.parse(sent?.body ?? ''), json, id);
      assert.match(sent?.type ?? '', /^application\/json/, id);
    }
  }
}

test('the curl samples send their requests', async () => {
  for (const [id, request] of requests) {
    const { ok, output } = await runTool('sh', ['-ec', `cd ${folder}; ${code('curl', request)} -s`], TOOL_MS);
    assert.ok(ok, `${id}: ${output}`);
  }
  checkGot(true);
});

test('the TypeScript samples have the right types, and send their requests', async (t) => {
  for (const [id, request] of samples) {
    await writeFile(join(folder, `${id}.ts`), code('TypeScript', request));
  }
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      paths: { [PACKAGE]: [CLIENT] },
      typeRoots: [join(ROOT, 'node_modules/@types')],
      noUnusedLocals: true,
    },
    include: ['*.ts'],
    exclude: [],
  };
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { ok, output } = await runTool('tsc', ['-p', folder, '--pretty', 'false'], TOOL_MS);
  assert.ok(ok, output);

  const home = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(home));
  t.mock.method(console, 'log', () => undefined);
  for (const [id, request] of requests) {
    const program = join(folder, `${id}.run.ts`);
    await writeFile(program, code('TypeScript', request).replace(PACKAGE, pathToFileURL(CLIENT).href));
    await import(pathToFileURL(program).href);
  }
  checkGot(false);
});

test('the Python samples compile, and send their requests', async () => {
  const others = samples.filter(([id]) => id === 'openEvents');
  const programs = [...requests, ...others].map(([id, request]) => [id, code('Python', request)]);
  await writeFile(join(folder, 'programs.json'), JSON.stringify(programs));
  await writeFile(join(folder, 'run_all.py'), RUN_ALL);
  const { ok, output } = await runTool('sh', ['-ec', `cd ${folder}; python3 run_all.py ${ROOT}`], TOOL_MS);
  assert.ok(ok, output);
  checkGot(false);
});

test('the serial samples are frames of the host', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validate = ajv.compile({
    components: document.components,
    ...Object(document['x-serial']['host-frames']),
  });
  for (const [id, request] of samples) {
    for (const line of samplesOf(request).Serial.split('\n')) {
      assert.ok(validate(JSON.parse(line)), `${id}: ${line} ${ajv.errorsText(validate.errors)}`);
    }
  }
});

test('a body is the example of the document, or else the smallest value that fulfils its schema', () => {
  const schemas: JsonObject = {
    Name: { type: 'string', pattern: '^[a-z]+$', minLength: 2 },
    Loop: { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Loop' } } },
  };
  const object: Json = {
    type: 'object',
    required: ['name', 'on', 'size', 'kinds'],
    properties: {
      name: { $ref: '#/components/schemas/Name' },
      on: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      size: { type: 'integer', minimum: 3 },
      kinds: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      other: { type: 'string' },
    },
  };
  const smallest = { name: 'text', on: true, size: 3, kinds: ['a'] };
  assert.deepEqual(sampleBody({ schema: object }, schemas), smallest);
  assert.deepEqual(sampleBody({ schema: object, example: [1] }, schemas), [1]);
  assert.deepEqual(sampleBody({ schema: object, examples: { first: { value: 0 } } }, schemas), 0);
  assert.deepEqual(sampleBody({ schema: { ...object, examples: [{ name: 'x' }] } }, schemas), { name: 'x' });
  const one = { type: 'object', minProperties: 1, properties: { first: { const: 1 }, second: {} } };
  assert.deepEqual(sampleValue(one, schemas), { first: 1 });
  assert.equal(exampleOf({}), undefined);
  assert.match(JSON.stringify(sampleValue({ $ref: '#/components/schemas/Loop' }, schemas)), /next/);
});
