import type { TSchema } from 'typebox';
import { isObject, type Json, type JsonObject } from './json.ts';

/** TypeBox's pattern for any name. */
const ANY_NAME = '^.*$';

/**
 * Turns schemas into JSON that generators of clients understand best; each schema with an `$id` becomes a component and
 * a reference to it. Both forms accept the same values.
 */
export class Components {
  readonly schemas: JsonObject = {};

  /** The schema's form in the document. @throws Error when another schema has the same name */
  ref(schema: TSchema): Json {
    return this.#convert(JSON.parse(JSON.stringify(schema)));
  }

  #convert(value: Json): Json {
    if (Array.isArray(value)) return value.map((item) => this.#convert(item));
    if (typeof value !== 'object' || value === null) return value;
    const { $id: id, ...rest } = value;
    const converted = forGenerators(
      Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, this.#convert(child)])),
    );
    if (typeof id !== 'string') return converted;
    const known = this.schemas[id];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(converted)) {
      throw new Error(`two schemas are called ${id}`);
    }
    this.schemas[id] = converted;
    return { $ref: `#/components/schemas/${id}` };
  }
}

/** Generators ignore patternProperties, and guess the type of an `enum` without one. */
function forGenerators(schema: JsonObject): JsonObject {
  const { patternProperties, enum: values } = schema;
  if (Array.isArray(values) && schema.type === undefined) return { type: typeOf(values), ...schema };
  if (!isObject(patternProperties) || !(ANY_NAME in patternProperties)) return schema;
  const { patternProperties: _patterns, ...rest } = schema;
  return { ...rest, additionalProperties: patternProperties[ANY_NAME] ?? {} };
}

/** @throws Error for values of several types, which generators do not support */
function typeOf(values: readonly Json[]): string {
  const types = new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)));
  const [type = 'string'] = types;
  if (types.size !== 1) throw new Error(`an enum of several types: ${JSON.stringify(values)}`);
  return type;
}
