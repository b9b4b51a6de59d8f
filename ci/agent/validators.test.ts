import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build, type Metafile } from 'esbuild';
import fc from 'fast-check';
import * as source from '../../agent/src/contract/validate.ts';
import { endpoints } from '../../agent/src/resources/all.ts';
import { repetitions } from '../../testing/long-runs.ts';
import { BUNDLE, buildAgent } from '../build-agent.ts';
import { valuesFor } from './tests/schema-values.ts';
import { validateCalls, validatedSchemas } from './validated-schemas.ts';

const PART = { endpoints, ...source };

let folder: string;
let metafile: Metafile;
/** What the source has, as the bundle has it. */
let bundled: typeof PART;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-bundle-'));
  metafile = await buildAgent(folder);
  const outfile = join(folder, 'part.mjs');
  const contents = `export * from './contract/validate.ts'; export { endpoints } from './resources/all.ts';`;
  const resolveDir = join(import.meta.dirname, '../../agent/src');
  await build({ ...BUNDLE, stdin: { contents, resolveDir, loader: 'ts' }, outfile });
  bundled = await import(pathToFileURL(outfile).href);
});
after(() => rm(folder, { recursive: true, force: true }));

describe('the validators of the bundle', () => {
  test('have the same verdict and issues as those of the source, whatever the value', async () => {
    const schemas = await validatedSchemas();
    const verdicts = { fitting: 0, wrong: 0 };
    for (const { schema, modes } of schemas) {
      fc.assert(
        fc.property(valuesFor(schema), (value) => {
          const fits = source.fits(schema, value);
          verdicts[fits ? 'fitting' : 'wrong'] += 1;
          assert.equal(bundled.fits(schema, value), fits);
          if (!modes.includes('allErrors')) return;
          assert.deepEqual(bundled.issues(schema, value), source.issues(schema, value));
        }),
        { numRuns: repetitions(60, 2000) },
      );
    }
    const { fitting, wrong } = verdicts;
    assert.ok(fitting > 10 * schemas.length && wrong > 10 * schemas.length, JSON.stringify(verdicts));
  });

  test('are found for the schemas that the bundle itself has', () => {
    for (const { method, path, params, query, body } of bundled.endpoints) {
      for (const schema of [params, query, body]) {
        if (schema) assert.ok(bundled.issues(schema, 5).length > 0, `${method} ${path}`);
      }
    }
  });

  test('report one issue of a value with a million errors', () => {
    const patch = endpoints.find(({ method, path }) => method === 'PATCH' && path === '/config')?.body;
    const value = { wifi: { networks: Array.from({ length: 500_000 }, () => 1) } };
    assert.equal(bundled.issues(patch ?? assert.fail(), value).length, 1);
  });

  test('a schema without one is an error, not a verdict', () => {
    assert.throws(() => bundled.fits({ type: 'string', minLength: 77 }, ''), /validators/);
  });
});

test('the bundle has no compiler of schemas', async () => {
  const inputs = Object.keys(metafile.inputs);
  assert.ok(inputs.some((path) => path.endsWith('agent/src/main.ts')));
  const compilers =
    /node_modules\/(?:ajv|@fastify\/ajv-compiler|fast-json-stringify\/index|json-schema-ref-resolver)\b/;
  assert.deepEqual(
    inputs.filter((path) => compilers.test(path)),
    [],
  );
  assert.doesNotMatch(await readFile(join(folder, 'main.mjs'), 'utf8'), /strictTypes|_compileSchemaEnv/);
});

describe('the search for validated schemas', () => {
  const from = `from '../contract/validate.ts';\n`;

  test('finds every call, over several lines too, and nothing that only looks like one', () => {
    const code =
      `import { fits, type Issue, parse } ${from}` +
      `const a = fits(Hello, x);\nconst b = JSON.parse(text) ?? parse(\n  endpoint.body,\n  given, '');\nissues(Foreign, 1);`;
    assert.deepEqual(validateCalls(code), [
      { line: 2, called: 'fits', schema: 'Hello' },
      { line: 3, called: 'parse', schema: 'endpoint.body' },
    ]);
    assert.deepEqual(validateCalls(`import { fits } from './x509.ts';\nfits(a, b);`), []);
  });

  test('refuses a schema that it cannot find, and names the call', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-calls-'));
    try {
      for (const argument of ['Local', 'this.schema', 'endpoint.response']) {
        const code = `import { parse } ${from}const Local = {};\nparse(${argument}, 1, '');\n`;
        await writeFile(join(folder, 'x.ts'), code);
        const message = new RegExp(`x\\.ts:3: .* parse\\(${argument}`);
        await assert.rejects(validatedSchemas(pathToFileURL(`${folder}/`)), message);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('refuses an import under another name', () => {
    assert.throws(() => validateCalls(`import { fits as ok } ${from}ok(A, 1);`), /fits as ok/);
  });
});
