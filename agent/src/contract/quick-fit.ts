import type { TSchema } from 'typebox';

type Rule = (value: unknown, bound: unknown, schema: Keywords) => boolean;
type Keywords = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: Number.isInteger,
  null: (value) => value === null,
};

/** Patterns of schemas, which are constants of the code: there are only so many. */
const patterns = new Map<string, RegExp>();

function expression(pattern: unknown): RegExp {
  const text = String(pattern);
  let found = patterns.get(text);
  if (!found) {
    found = new RegExp(text, 'u');
    patterns.set(text, found);
  }
  return found;
}

/** Length in characters, as JSON Schema counts. */
const characters = (text: string) => [...text].length;

/** A rule that says something of one kind of value only. */
const ofText =
  (holds: (text: string, bound: unknown) => boolean): Rule =>
  (value, bound) =>
    typeof value !== 'string' || holds(value, bound);
const ofNumber =
  (holds: (number: number, bound: number) => boolean): Rule =>
  (value, bound) =>
    typeof value !== 'number' || holds(value, Number(bound));

const RULES: Readonly<Record<string, Rule>> = {
  type: (value, type) => TYPES[String(type)]?.(value) ?? false,
  enum: (value, values) => Array.isArray(values) && values.includes(value),
  const: (value, wanted) => value === wanted,
  anyOf: (value, schemas) => Array.isArray(schemas) && schemas.some((schema) => quickFits(schema, value)),
  minimum: ofNumber((number, bound) => number >= bound),
  maximum: ofNumber((number, bound) => number <= bound),
  minLength: ofText((text, bound) => text.length >= 2 * Number(bound) || characters(text) >= Number(bound)),
  maxLength: ofText((text, bound) => text.length <= Number(bound) || characters(text) <= Number(bound)),
  pattern: ofText((text, pattern) => expression(pattern).test(text)),
  items: (value, schema) => !Array.isArray(value) || value.every((item) => quickFits(schema, item)),
  maxItems: (value, bound) => !Array.isArray(value) || value.length <= Number(bound),
  maxProperties: (value, bound) => !isObject(value) || Object.keys(value).length <= Number(bound),
  propertyNames: (value, schema) =>
    !isObject(value) || Object.keys(value).every((name) => quickFits(schema, name)),
  required: (value, names) =>
    !isObject(value) || (Array.isArray(names) && names.every((name) => Object.hasOwn(value, String(name)))),
  properties: (value, fields) =>
    !isObject(value) ||
    !isObject(fields) ||
    Object.entries(fields).every(
      ([name, schema]) => !Object.hasOwn(value, name) || quickFits(schema, value[name]),
    ),
  patternProperties: (value, schemas) =>
    !isObject(value) ||
    !isObject(schemas) ||
    Object.entries(schemas).every(([pattern, schema]) => {
      const names = expression(pattern);
      return Object.entries(value).every(([name, child]) => !names.test(name) || quickFits(schema, child));
    }),
  additionalProperties: (value, allowed, { properties }) =>
    !isObject(value) ||
    allowed !== false ||
    Object.keys(value).every((name) => isObject(properties) && Object.hasOwn(properties, name)),
};
/** Keywords that restrict nothing. */
const SILENT = new Set(['$id', 'title', 'description', 'default', 'examples', 'format', 'x-applied']);

/**
 * Whether `value` surely fits `schema`, told by reading the schema and without compiling anything, which takes a
 * tenth of a second for the larger ones. Of what it does not know it says no, and the caller asks the validator.
 */
export function quickFits(schema: TSchema | unknown, value: unknown): boolean {
  if (!isObject(schema)) return false;
  return Object.entries(schema).every(
    ([keyword, bound]) => SILENT.has(keyword) || (RULES[keyword]?.(value, bound, schema) ?? false),
  );
}
