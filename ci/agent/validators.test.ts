import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build, type Metafile } from 'esbuild';
import fc from 'fast-check';
import '../../agent/src/main.ts';
import { endpoints } from '../../agent/src/resources/contract.ts';
import { validatedSchemas, validator } from '../../agent/src/validation/validator.ts';
import { repetitions } from '../../testing/long-runs.ts';
import { BUNDLE, buildAgent } from '../build-agent.ts';
import { valuesFor } from './tests/schema-values.ts';

const PART = { endpoints, validator };

let folder: string;
let metafile: Metafile;
/** What the source has, as the bundle has it. */
let bundled: typeof PART;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-bundle-'));
  metafile = await buildAgent(folder);
  const outfile = join(folder, 'part.mjs');
  const contents = `export { validator } from './validation/validator.ts'; export { endpoints } from './resources/contract.ts';`;
  const resolveDir = join(import.meta.dirname, '../../agent/src');
  await build({ ...BUNDLE, stdin: { contents, resolveDir, loader: 'ts' }, outfile });
  bundled = await import(pathToFileURL(outfile).href);
});
after(() => rm(folder, { recursive: true, force: true }));

describe('the validators of the bundle', () => {
  test('have the same verdict and issues as those of the source, whatever the value', async () => {
    const schemas = validatedSchemas();
    const verdicts = { fitting: 0, wrong: 0 };
    for (const schema of schemas) {
      const [source, ours] = [validator(schema), bundled.validator(schema)];
      fc.assert(
        fc.property(valuesFor(schema), (value) => {
          const fits = source.fits(value);
          verdicts[fits ? 'fitting' : 'wrong'] += 1;
          assert.equal(ours.fits(value), fits);
          assert.deepEqual(ours.issues(value), source.issues(value));
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
        if (schema) assert.ok(bundled.validator(schema).issues(5).length > 0, `${method} ${path}`);
      }
    }
  });

  test('report one issue of a value with a million errors', () => {
    const patch = endpoints.find(({ method, path }) => method === 'PATCH' && path === '/config')?.body;
    const value = { wifi: { networks: Array.from({ length: 500_000 }, () => 1) } };
    assert.equal(bundled.validator(patch ?? assert.fail()).issues(value).length, 1);
  });

  test('a schema without one is an error, not a verdict', () => {
    assert.throws(() => bundled.validator({ type: 'string', minLength: 77 }).fits(''), /validators/);
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
  assert.doesNotMatch(await readFile(join(folder, 'agent.js'), 'utf8'), /strictTypes|_compileSchemaEnv/);
});

test('the bundle has the native modules of both processors, and only what they need', () => {
  const packages = ['@serialport/bindings-cpp', 'node-hid', 'usb'];
  const modules = packages.flatMap((name) =>
    globSync('**/*.node', { cwd: join(folder, 'node_modules', name) })
      .filter((path) => path.startsWith('prebuilds/'))
      .map((path) => `${name} ${path.split('/')[1]}`),
  );
  assert.deepEqual(modules.sort(), [
    '@serialport/bindings-cpp linux-arm64',
    '@serialport/bindings-cpp linux-x64',
    'node-hid HID_hidraw-linux-arm64',
    'node-hid HID_hidraw-linux-x64',
    'usb linux-arm64',
    'usb linux-x64',
  ]);
  assert.deepEqual(globSync('node_modules/**/{node-addon-api,yargs,hidapi,libusb}', { cwd: folder }), []);
});

test('the other programs of the bundle start', async () => {
  for (const program of ['nfc-reader', 'peripheral-io']) {
    const run = promisify(execFile)(process.execPath, [join(folder, `${program}.mjs`)], { timeout: 30_000 });
    await assert.rejects(run, { code: 2, stderr: /missing[^\n]*\nusage: / });
  }
});

test('the contract needs nothing of Node, so that clients can import it', async () => {
  const contract = join(import.meta.dirname, '../../agent/src/resources/contract.ts');
  const { outputFiles } = await build({
    entryPoints: [contract],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
  });
  assert.doesNotMatch(outputFiles[0]?.text ?? assert.fail(), /\b(?:Buffer|process|require)\b[.(]/);
});
