import { createRequire } from 'node:module';
import type { Ajv as AjvInstance, ErrorObject, Options, ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { ApiError } from './errors.ts';
import { quickFits } from './quick-fit.ts';

// ajv and ajv-formats are CommonJS with a `default` property; `require` reads them the same bundled or not.
const require = createRequire(import.meta.url);

/** One broken rule: where (JSON pointer into the checked value) and what. */
export interface Issue {
  path: string;
  message: string;
}

const COMMON: Options = { allErrors: true, strict: true, strictTypes: false, strictTuples: false };
/** Keywords that tell people and tools something and validate nothing. */
const ANNOTATIONS = ['x-applied'];

/** Loaded with the first value to check, not with the agent: it is a tenth of the time to start. */
function createAjv(options: Options): AjvInstance {
  const Ajv: typeof import('ajv').Ajv = require('ajv').Ajv;
  const addFormats: typeof import('ajv-formats').default = require('ajv-formats');
  return addFormats(new Ajv({ ...COMMON, ...options })).addVocabulary(ANNOTATIONS);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Bodies and lines are taken as they are; nothing is coerced, removed or filled in. */
const strict = once(() => createAjv({}));
/** Query strings and path parameters arrive as text, so numbers and booleans are read from it. */
const coercing = once(() => createAjv({ coerceTypes: 'array' }));

const compiled = new WeakMap<TSchema, ValidateFunction>();

function validator(schema: TSchema, ajv: () => AjvInstance): ValidateFunction {
  let found = compiled.get(schema);
  if (!found) {
    found = ajv().compile(schema);
    compiled.set(schema, found);
  }
  return found;
}

/** What the rule `X or null` says of a wrong X is said by X alone; the other branch is noise. */
function issuesOf({ errors }: ValidateFunction): Issue[] {
  const all = errors ?? [];
  const telling = all.filter(
    ({ keyword, params }) => keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null'),
  );
  return (telling.length > 0 ? telling : all).map(issueOf);
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
  return check(value) ? [] : issuesOf(check);
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
  // What fits is told at once; compiling is for saying what is wrong, and takes longer than most requests.
  if (quickFits(schema, value)) return value as Static<S>;
  const check = validator(schema, strict);
  if (check(value)) return value as Static<S>;
  throw badRequest(what, issuesOf(check));
}

/** As `parse`, for text that carries numbers and booleans (path parameters, query strings). */
export function parseText<S extends TSchema>(schema: S, value: unknown, what: string): Static<S> {
  const check = validator(schema, coercing);
  if (check(value)) return value as Static<S>;
  throw badRequest(what, issuesOf(check));
}

/** A 400 that names every issue (contract-decisions: General rules). */
export function badRequest(what: string, found: Issue[]): ApiError {
  const first = found[0];
  const summary = first
    ? `${`${what}${first.path}` || 'The body'} ${first.message}`
    : `${what || 'The body'} is not valid`;
  return new ApiError('bad_request', summary, { issues: found });
}
