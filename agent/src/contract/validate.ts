import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Static, TObject, TSchema } from 'typebox';
import { compile, type Mode } from './compile.ts';
import { ApiError } from './errors.ts';

/** One broken rule: where (JSON pointer into the checked value) and what. */
export interface Issue {
  path: string;
  message: string;
}

/** Issues that an answer lists; `more` counts the rest. */
export const MAX_ISSUES = 100;
/** Longest path or message in an answer, in characters: either may quote a name that the client chose. */
const MAX_TEXT = 1024;
/** For a value with more parts than this only the first issue is reported: collecting all could take a million. */
const MAX_PARTS = 5000;

const validators: Record<Mode, WeakMap<TSchema, ValidateFunction>> = {
  allErrors: new WeakMap(),
  firstErrorOnly: new WeakMap(),
};

function validatorOf(schema: TSchema, mode: Mode): ValidateFunction {
  let found = validators[mode].get(schema);
  if (!found) {
    found = compile(schema, mode);
    validators[mode].set(schema, found);
  }
  return found;
}

/** Whether `value` has more than MAX_PARTS objects, lists and values in it. Visits no more than that many. */
function isLarge(value: unknown): boolean {
  const waiting: unknown[] = [value];
  let parts = 1;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    const children: readonly unknown[] = Object.values(next);
    parts += children.length;
    if (parts > MAX_PARTS) return true;
    waiting.push(...children);
  }
  return false;
}

/** For a wrong value of `X or null`, only what X says is useful: the failure of the null branch is left out. */
function issuesOf({ errors }: ValidateFunction): Issue[] {
  const all = errors ?? [];
  const useful = all.filter(
    ({ keyword, params }) => keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null'),
  );
  return (useful.length > 0 ? useful : all).map(issueOf);
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

/** All rules that `value` breaks, or only the first for a value of more than 5000 parts; empty when it fits. */
export function issues(schema: TSchema, value: unknown): Issue[] {
  const first = validatorOf(schema, 'firstErrorOnly');
  if (first(value)) return [];
  if (isLarge(value)) return issuesOf(first);
  const all = validatorOf(schema, 'allErrors');
  all(value);
  return issuesOf(all);
}

/** Whether `value` fits `schema`. */
export function fits<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return validatorOf(schema, 'firstErrorOnly')(value) === true;
}

/**
 * Validates an untyped value and gives it its type.
 * @param what the part of the request, for the message; empty for the body
 * @throws ApiError `bad_request` with the issues in `details` (docs/api.md: Errors)
 */
export function parse<S extends TSchema>(schema: S, value: unknown, what: string): Static<S> {
  const found = issues(schema, value);
  if (found.length === 0) return value as Static<S>;
  throw badRequest(what, found);
}

/** A number as JSON spells it, without an exponent. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * As `parse`, for path parameters and query strings, whose values are text. A parameter that occurs more than once is
 * read as one text with commas, which no parameter of ours allows.
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
  const type = field !== undefined && 'type' in field ? field.type : undefined;
  return (type === 'integer' || type === 'number') && NUMBER.test(text) ? Number(text) : text;
}

/** A 400 that lists up to MAX_ISSUES issues (docs/api.md: Errors). */
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
