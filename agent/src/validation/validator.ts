import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Static, TObject, TSchema } from 'typebox';
import { badRequest, type Issue } from '../contract/issues.ts';
import { compile, type Mode } from './compile.ts';
import { fieldsAt, ruleAt, unknownField } from './schema-at.ts';

/** For a value with more parts than this only the first issue is reported: collecting all could take a million. */
const MAX_PARTS = 5000;

/** Checks values against a schema. Made by {@link validator}. */
export interface Validator<S extends TSchema = TSchema> {
  readonly schema: S;
  /** Whether `value` fits the schema. */
  fits(value: unknown): value is Static<S>;
  /** All rules that `value` breaks, or only the first for a value of more than 5000 parts; empty when it fits. */
  issues(value: unknown): Issue[];
  /**
   * Gives an untyped value its type.
   * @throws ApiError `bad_request` with the issues in `details` (docs/api.md: Errors)
   */
  parse(value: unknown): Static<S>;
}

/** The values that fit a validator's schema. */
export type Valid<V extends Validator> = Static<V['schema']>;

const known = new Map<TSchema, Validator>();

/**
 * The validator of a schema. The agent calls this while its modules load: the build loads them too, and compiles the
 * validators of every schema in {@link validatedSchemas}.
 */
export function validator<S extends TSchema>(schema: S): Validator<S> {
  const found = known.get(schema) ?? new SchemaValidator(schema);
  known.set(schema, found);
  // It was created for this schema.
  return found as Validator<S>;
}

/** The schemas that have a validator. */
export const validatedSchemas = (): TSchema[] => [...known.keys()];

class SchemaValidator<S extends TSchema> implements Validator<S> {
  readonly schema: S;
  readonly #compiled: Partial<Record<Mode, ValidateFunction>> = {};

  constructor(schema: S) {
    this.schema = schema;
  }

  fits(value: unknown): value is Static<S> {
    return this.#in('firstErrorOnly')(value) === true;
  }

  issues(value: unknown): Issue[] {
    const first = this.#in('firstErrorOnly');
    if (first(value)) return [];
    if (isLarge(value)) return issuesOf(first, this.schema);
    const all = this.#in('allErrors');
    all(value);
    return issuesOf(all, this.schema);
  }

  parse(value: unknown): Static<S> {
    const found = this.issues(value);
    if (found.length === 0) return value as Static<S>;
    throw badRequest('', found);
  }

  #in(mode: Mode): ValidateFunction {
    this.#compiled[mode] ??= compile(this.schema, mode);
    return this.#compiled[mode];
  }
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
function issuesOf({ errors }: ValidateFunction, schema: TSchema): Issue[] {
  const all = errors ?? [];
  const useful = all.filter(
    ({ keyword, params }) => keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null'),
  );
  // A mistyped field is also a missing one: its own issue says more, and is the first.
  const rank = ({ keyword }: ErrorObject): number => (keyword === 'additionalProperties' ? 0 : 1);
  const sorted = (useful.length > 0 ? useful : all).toSorted((a, b) => rank(a) - rank(b));
  return sorted.map((error) => issueOf(error, schema));
}

function issueOf(error: ErrorObject, schema: TSchema): Issue {
  const { instancePath, keyword, params } = error;
  if (keyword === 'required') {
    return { path: `${instancePath}/${params.missingProperty}`, message: 'is required' };
  }
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty);
    return { path: `${instancePath}/${name}`, message: unknownField(name, fieldsAt(schema, instancePath)) };
  }
  if (keyword === 'enum') {
    return { path: instancePath, message: `must be one of ${params.allowedValues.map(String).join(', ')}` };
  }
  if (keyword === 'const') {
    return { path: instancePath, message: `must be ${JSON.stringify(params.allowedValue)}` };
  }
  const rule = keyword === 'pattern' ? ruleAt(schema, instancePath, params.pattern) : undefined;
  return { path: instancePath, message: rule ?? error.message ?? 'is not valid' };
}

/** A number as JSON spells it, without an exponent. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * As `parse`, for path parameters and query strings, whose values are text. A parameter that occurs more than once is
 * read as one text with commas.
 * @param texts by name
 */
export function parseText<S extends TObject>(of: Validator<S>, texts: unknown): Static<S> {
  const given = Object.entries(typeof texts === 'object' && texts !== null ? texts : {});
  const read = given.map(
    ([name, text]) => [name, readNumber(of.schema.properties[name], String(text))] as const,
  );
  return of.parse(Object.fromEntries(read));
}

function readNumber(field: TSchema | undefined, text: string): unknown {
  const type = field !== undefined && 'type' in field ? field.type : undefined;
  return (type === 'integer' || type === 'number') && NUMBER.test(text) ? Number(text) : text;
}
