import { createRequire } from 'node:module';
import type { Ajv as AjvInstance, ErrorObject, Options, ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { ApiError } from './errors.ts';

// ajv and ajv-formats are CommonJS with a `default` property; `require` reads them the same bundled or not.
const require = createRequire(import.meta.url);
const Ajv: typeof import('ajv').Ajv = require('ajv').Ajv;
const addFormats: typeof import('ajv-formats').default = require('ajv-formats');

/** One broken rule: where (JSON pointer into the checked value) and what. */
export interface Issue {
  path: string;
  message: string;
}

const COMMON: Options = { allErrors: true, strict: true, strictTypes: false, strictTuples: false };

/** Bodies and lines are taken as they are; nothing is coerced, removed or filled in. */
const strict: AjvInstance = addFormats(new Ajv(COMMON));
/** Query strings and path parameters arrive as text, so numbers and booleans are read from it. */
const coercing: AjvInstance = addFormats(new Ajv({ ...COMMON, coerceTypes: 'array' }));

const compiled = new WeakMap<TSchema, ValidateFunction>();

function validator(schema: TSchema, ajv: AjvInstance): ValidateFunction {
  let found = compiled.get(schema);
  if (!found) {
    found = ajv.compile(schema);
    compiled.set(schema, found);
  }
  return found;
}

function issueOf(error: ErrorObject): Issue {
  const { instancePath, keyword, params } = error;
  if (keyword === 'required') {
    return { path: `${instancePath}/${params.missingProperty}`, message: 'is required' };
  }
  if (keyword === 'additionalProperties') {
    return { path: `${instancePath}/${params.additionalProperty}`, message: 'is not a known field' };
  }
  if (keyword === 'enum') {
    return { path: instancePath, message: `must be one of ${params.allowedValues.map(String).join(', ')}` };
  }
  if (keyword === 'const') {
    return { path: instancePath, message: `must be ${JSON.stringify(params.allowedValue)}` };
  }
  return { path: instancePath, message: error.message ?? 'is not valid' };
}

/** All rules that `value` breaks; empty when it fits. Compiled once a schema, on first use. */
export function issues(schema: TSchema, value: unknown): Issue[] {
  const check = validator(schema, strict);
  return check(value) ? [] : (check.errors ?? []).map(issueOf);
}

/** Whether `value` fits `schema`. */
export function fits<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return validator(schema, strict)(value) === true;
}

/**
 * Takes an untyped value across the boundary.
 * @throws ApiError `bad_request` with all issues in `details` (contract-decisions: General rules).
 */
export function parse<S extends TSchema>(schema: S, value: unknown, what: string): Static<S> {
  const check = validator(schema, strict);
  if (check(value)) return value as Static<S>;
  throw badRequest(what, (check.errors ?? []).map(issueOf));
}

/** As `parse`, for text that carries numbers and booleans (path parameters, query strings). */
export function parseText<S extends TSchema>(schema: S, value: unknown, what: string): Static<S> {
  const check = validator(schema, coercing);
  if (check(value)) return value as Static<S>;
  throw badRequest(what, (check.errors ?? []).map(issueOf));
}

/** A 400 that names every issue (contract-decisions: General rules). */
export function badRequest(what: string, found: Issue[]): ApiError {
  const first = found[0];
  const summary = first ? `${what}${first.path} ${first.message}` : `${what} is not valid`;
  return new ApiError('bad_request', summary, { issues: found });
}
