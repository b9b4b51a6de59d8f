/** Validators of the bundle: compiled by its build, so that the device neither carries nor runs a compiler. */
import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { TSchema } from 'typebox';
import { createAjv, type Mode, withoutIds } from '../../agent/src/contract/compile.ts';
import { ROOT } from '../lib/places.ts';
import type { ValidatedSchema } from './validated-schemas.ts';

const require = createRequire(import.meta.url);
const standalone: typeof import('ajv/dist/standalone/index.js') = require('ajv/dist/standalone');

const MODES: readonly Mode[] = ['firstErrorOnly', 'allErrors'];

/**
 * Takes the place of contract/compile.ts in the bundle. A schema is found by the hash of its JSON. Each mode is a file
 * of its own beside the bundle: most agents never need the larger part, which words the errors of invalid requests.
 */
const LOOKUP = `
import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
const load = createRequire(import.meta.url);
export function compile(schema, mode) {
  const json = JSON.stringify(schema);
  const validator = load('./validators/' + mode + '.cjs')['v' + hash('sha256', json)];
  if (!validator) throw new Error('the build compiled no validator (' + mode + ') for ' + json.slice(0, 200));
  return validator;
}
`;

/** Makes the bundle look compiled validators up where the source compiles them. */
export const compiledValidators: Plugin = {
  name: 'compiled-validators',
  setup(plugin) {
    plugin.onLoad({ filter: /\/contract\/compile\.ts$/ }, () => ({ contents: LOOKUP, loader: 'js' }));
  },
};

/** Writes the files that the bundle in `outdir` loads validators from. */
export async function writeValidators(schemas: readonly ValidatedSchema[], outdir: string): Promise<void> {
  for (const mode of MODES) {
    await build({
      stdin: { contents: validatorsCode(schemas, mode), resolveDir: ROOT },
      outfile: join(outdir, 'validators', `${mode}.cjs`),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node24',
      // Nobody reads this code.
      minify: true,
      logLevel: 'warning',
    });
  }
}

/** An ES module that exports the validators of one mode. */
function validatorsCode(schemas: readonly ValidatedSchema[], mode: Mode): string {
  const ajv = createAjv(mode, { code: { source: true, esm: true } });
  const names: Record<string, string> = {};
  for (const { schema, modes } of schemas) {
    if (!modes.includes(mode)) continue;
    const name = exportName(schema);
    if (!ajv.getSchema(name)) ajv.addSchema(withoutIds(schema), name);
    names[name] = name;
  }
  // Where a rule is in its schema, which no answer of ours says, is a fifth of the code.
  return standalone.default(ajv, names).replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '');
}

function exportName(schema: TSchema): string {
  return `v${hash('sha256', JSON.stringify(schema))}`;
}
