import { isObject, type Json, type JsonObject } from '../json.ts';
import type { OpenApi } from '../openapi.ts';

/** Levels of objects and lists, in case a schema refers to itself. */
const MAX_DEPTH = 8;
/** The first one that a string's rules allow. */
const STRINGS = ['text', 'a longer text', ''];

/** Where samples are looked up: schemas refer to components. */
type Schemas = OpenApi['components']['schemas'];

/**
 * A body for a sample: the first example of the media type, or else the smallest value that its schema allows.
 * @param media a media type object of OpenAPI
 */
export function sampleBody(media: JsonObject, schemas: Schemas): Json {
  return exampleOf(media) ?? sampleValue(media.schema, schemas);
}

/**
 * The first example of a media type or parameter: `example`, or `examples` by name, each with a `value`.
 * @returns undefined if there is none
 */
export function exampleOf({ example, examples }: JsonObject): Json | undefined {
  if (example !== undefined) return example;
  const [first] = isObject(examples) ? Object.values(examples) : [];
  return isObject(first) ? first.value : undefined;
}

/** An example of a schema, or else the smallest value that it allows. A list has one item, to show what is in it. */
export function sampleValue(schema: Json | undefined, schemas: Schemas, depth = 0): Json {
  if (!isObject(schema) || depth > MAX_DEPTH) return {};
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  const [choice] = Array.isArray(schema.enum) ? schema.enum : [];
  const known = schema.example ?? example ?? schema.const ?? schema.default ?? choice;
  if (known !== undefined) return known;
  if (typeof schema.$ref === 'string') {
    return sampleValue(schemas[schema.$ref.split('/').at(-1) ?? ''], schemas, depth + 1);
  }
  const [variant] = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  if (variant !== undefined) return sampleValue(variant, schemas, depth + 1);
  switch (schema.type) {
    case 'object':
      return sampleObject(schema, schemas, depth);
    case 'array':
      return [sampleValue(schema.items, schemas, depth + 1)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? Math.max(0, schema.minimum) : 0;
    case 'string':
      return sampleString(schema);
    default:
      return null;
  }
}

/** The required fields; the first one if none is required and the object may not be empty. */
function sampleObject(schema: JsonObject, schemas: Schemas, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const isEmptyAllowed = typeof schema.minProperties !== 'number' || schema.minProperties === 0;
  const names = required.length > 0 || isEmptyAllowed ? required : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(names.map((name) => [name, sampleValue(properties[name], schemas, depth + 1)]));
}

function sampleString({ pattern, minLength, maxLength }: JsonObject): string {
  const rule = new RegExp(typeof pattern === 'string' ? pattern : '');
  const least = typeof minLength === 'number' ? minLength : 0;
  const most = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  const fits = (text: string): boolean => rule.test(text) && text.length >= least && text.length <= most;
  return STRINGS.find(fits) ?? 'text';
}
