import { createRequire } from 'node:module';
import type { Ajv as AjvInstance, ErrorObject, Options, ValidateFunction } from 'ajv';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { ApiError } from './errors.ts';
import { quickFits } from './quick-fit.ts';

// ajv is CommonJS with a `default` property; `require` reads it the same bundled or not.
const require = createRequire(import.meta.url);

/** One broken rule: where (JSON pointer into the checked value) and what. */
export interface Issue {
  path: string;
  message: string;
}

/** Issues that an answer lists; `more` counts the rest. */
export const MAX_ISSUES = 100;
/** What of a path or a message is told, in characters: either may quote a name that the client made up. */
const MAX_TEXT = 1024;
/** A value with more parts than any document of ours is told the first rule that it breaks, not all of them. */
const MAX_PARTS = 5000;
/** `format` is for clients: what a value must be is said by patterns and by code, which quick-fit.ts reads too. */
const COMMON: Options = {
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictTuples: false,
  validateFormats: false,
  // Our schemas are constants that the tests use. To compile the schema of schemas takes longer than one of them.
  meta: false,
  validateSchema: false,
};
/** Keywords that tell people and tools something and validate nothing. */
const ANNOTATIONS = ['x-applied'];

/** Loaded with the first value to check, not with the agent: it is a tenth of the time to start. */
function createAjv(options: Options): AjvInstance {
  const Ajv: typeof import('ajv').Ajv = require('ajv').Ajv;
  return new Ajv({ ...COMMON, ...options }).addVocabulary(ANNOTATIONS);
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
/** Stops at the first broken rule, so that a large value costs no more than to read it. */
const hasty = once(() => createAjv({ allErrors: false }));

const compiled = new WeakMap<TSchema, ValidateFunction>();
const compiledHasty = new WeakMap<TSchema, ValidateFunction>();

function validator(schema: TSchema, ajv: () => AjvInstance, cache = compiled): ValidateFunction {
  let found = cache.get(schema);
  if (!found) {
    found = ajv().compile(withoutNames(schema));
    cache.set(schema, found);
  }
  return found;
}

/** A copy without the `$id` that names a component of the document: ajv takes one that comes twice for a conflict. */
function withoutNames(schema: TSchema): object {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === '$id' ? undefined : value)));
}

/** What tells the broken rules of `value`; how many it collects is bounded by MAX_PARTS. */
function validatorOf(schema: TSchema, value: unknown): ValidateFunction {
  return isLarge(value) ? validator(schema, hasty, compiledHasty) : validator(schema, strict);
}

/** Whether `value` has more than MAX_PARTS objects, lists and values in it. Looks at no more than those. */
function isLarge(value: unknown): boolean {
  const waiting: unknown[] = [value];
  let parts = 1;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    const children: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    parts += children.length;
    if (parts > MAX_PARTS) return true;
    waiting.push(...children);
  }
  return false;
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

/**
 * All rules that `value` breaks, of a value of many thousand parts the first only; empty when it fits. Compiled once a
 * schema, on first use.
 */
export function issues(schema: TSchema, value: unknown): Issue[] {
  const check = validatorOf(schema, value);
  return check(value) ? [] : issuesOf(check);
}

/** Whether `value` fits `schema`. */
export function fits<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return quickFits(schema, value) || validator(schema, strict)(value) === true;
}

/**
 * Takes an untyped value across the boundary.
 * @throws ApiError `bad_request` with the issues in `details` (contract-decisions: General rules).
 */
export function parse<S extends TSchema>(schema: S, value: unknown, what: string): Static<S> {
  // What fits is told at once; compiling is for saying what is wrong, and takes longer than most requests.
  if (quickFits(schema, value)) return value as Static<S>;
  const check = validatorOf(schema, value);
  if (check(value)) return value as Static<S>;
  throw badRequest(what, issuesOf(check));
}

/** How JSON spells numbers, without an exponent. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * As `parse`, for path parameters and query strings: text that may carry numbers. A parameter that is given more than
 * once is read as one text with commas, which none of ours has in it.
 * @param texts by name
 */
export function parseText<S extends TObject>(schema: S, texts: unknown, what: string): Static<S> {
  const given = Object.entries(typeof texts === 'object' && texts !== null ? texts : {});
  const read = given.map(
    ([name, text]) => [name, readNumber(schema.properties[name], String(text))] as const,
  );
  return parse(schema, Object.fromEntries(read), what);
}

function readNumber(field: TSchema | undefined, text: string): unknown {
  const isNumber = field !== undefined && (Type.IsInteger(field) || Type.IsNumber(field));
  return isNumber && NUMBER.test(text) ? Number(text) : text;
}

/** A 400 that names the issues, up to MAX_ISSUES (docs/contract.md: Errors). */
export function badRequest(what: string, found: Issue[]): ApiError {
  const listed = found.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: path.slice(0, MAX_TEXT).toWellFormed(),
    message: message.slice(0, MAX_TEXT).toWellFormed(),
  }));
  const more = found.length - listed.length;
  const first = listed[0];
  const summary = first
    ? `${`${what}${first.path}` || 'The body'} ${first.message}`
    : `${what || 'The body'} is not valid`;
  return new ApiError('bad_request', summary, { issues: listed, ...(more > 0 ? { more } : {}) });
}
