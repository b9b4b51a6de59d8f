/** Validators of the bundle: compiled by its build, so that the device neither carries nor runs a compiler. */
import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { TSchema } from 'typebox';
import { createAjv, type Mode, withoutIds } from '../../agent/src/validation/compile.ts';
import { validatedSchemas } from '../../agent/src/validation/validator.ts';

const MODES: readonly Mode[] = ['firstErrorOnly', 'allErrors'];
const require = createRequire(import.meta.url);
const standalone: typeof import('ajv/dist/standalone/index.js') = require('ajv/dist/standalone');

/**
 * Takes the place of validation/compile.ts in the bundle. Every validator is a file of its own, named after the hash of
 * its schema's JSON and loaded when first needed: an agent uses few of them, and fewer in the mode of invalid requests.
 */
const LOOKUP = `
import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
const load = createRequire(import.meta.url);
export function compile(schema, mode) {
  return load('./validators/' + hash('sha256', JSON.stringify(schema)).slice(0, 16) + '.' + mode + '.cjs');
}
`;

/** Makes the bundle look compiled validators up where the source compiles them. */
export const compiledValidators: Plugin = {
  name: 'compiled-validators',
  setup(plugin) {
    plugin.onLoad({ filter: /\/validation\/compile\.ts$/ }, () => ({ contents: LOOKUP, loader: 'js' }));
  },
};

/**
 * Writes the files that the bundle in `outdir` loads validators from. As part of esbuild's run, so that esbuild prints
 * what is wrong.
 */
export function writeValidators(outdir: string): Plugin {
  return {
    name: 'write-validators',
    setup(plugin) {
      plugin.onStart(async () => {
        // Loads every module of the agent and of its programs, each of which adds its schemas.
        await import('../../agent/src/main.ts');
        await import('../../agent/src/peripheral-io/main.ts');
        for (const schema of validatedSchemas()) {
          for (const mode of MODES) await writeValidator(schema, mode, outdir);
        }
      });
    },
  };
}

async function writeValidator(schema: TSchema, mode: Mode, outdir: string): Promise<void> {
  const name = hash('sha256', JSON.stringify(schema)).slice(0, 16);
  await build({
    stdin: { contents: validatorCode(schema, mode), resolveDir: import.meta.dirname },
    outfile: join(outdir, 'validators', `${name}.${mode}.cjs`),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    // Nobody reads this code.
    minify: true,
    logLevel: 'warning',
  });
}

function validatorCode(schema: TSchema, mode: Mode): string {
  const ajv = createAjv(mode, { code: { source: true } });
  const code = standalone.default(ajv, ajv.compile(withoutIds(schema)));
  // Where a rule is in its schema, which no answer of ours says, is a fifth of the code.
  return code.replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '');
}
