import { createRequire } from 'node:module';
import type { Ajv as AjvInstance, Options, ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { RULE } from '../contract/shared.ts';

// ajv is CommonJS with a `default` property; `require` reads it the same way in tests, scripts and the build.
const require = createRequire(import.meta.url);

/** Whether a validator collects every broken rule or stops at the first one. */
export type Mode = 'allErrors' | 'firstErrorOnly';

const OPTIONS: Options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  // `format` is information for clients: patterns and code say what a value must be.
  validateFormats: false,
  // Our schemas are constants that the tests check. Compiling the meta schema takes longer than compiling one of them.
  meta: false,
  validateSchema: false,
};
/** Keywords that inform people and tools and validate nothing. */
const ANNOTATIONS = ['x-applied', RULE];

/** Values are validated as they are: nothing is coerced, removed or filled in. */
export function createAjv(mode: Mode, options: Options = {}): AjvInstance {
  const Ajv: typeof import('ajv').Ajv = require('ajv').Ajv;
  return new Ajv({ ...OPTIONS, allErrors: mode === 'allErrors', ...options }).addVocabulary(ANNOTATIONS);
}

/** A copy without the `$id` that names a component of the OpenAPI document: ajv rejects one that occurs twice. */
export function withoutIds(schema: TSchema): object {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === '$id' ? undefined : value)));
}

const instances = new Map<Mode, AjvInstance>();

/**
 * Compiles the validator of a schema. Only tests and scripts, which run from source, use this module: in the bundle,
 * validators that its build compiled take its place (ci/agent/validators.ts), so that it contains no compiler.
 */
export function compile(schema: TSchema, mode: Mode): ValidateFunction {
  const ajv = instances.get(mode) ?? createAjv(mode);
  instances.set(mode, ajv);
  return ajv.compile(withoutIds(schema));
}
