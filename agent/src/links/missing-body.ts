import type { TSchema } from 'typebox';
import type { ApiError } from '../contract/errors.ts';
import { badRequest } from '../contract/issues.ts';
import { keywords } from '../validation/schema-at.ts';

/** The error for a request without the body that its endpoint needs: says what to send. */
export function missingBody(schema: TSchema): ApiError {
  const example = JSON.stringify(exampleOf(schema));
  return badRequest('', [{ path: '', message: `is missing: send JSON such as ${example}` }]);
}

/** The smallest value that tells what a schema is for: required fields with an example or a value of their type. */
export function exampleOf(schema: unknown): unknown {
  const one = keywords(schema);
  const { examples, default: usual, type, anyOf, minimum } = one;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (usual !== undefined) return usual;
  if (Array.isArray(one.enum)) return one.enum[0];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0]);
  if (type === 'integer' || type === 'number') return minimum ?? 0;
  if (type === 'boolean') return true;
  if (type === 'string') return '…';
  if (type === 'array') return [exampleOf(one.items)];
  if (type !== 'object') return null;
  const properties = keywords(one.properties);
  const required = Array.isArray(one.required) ? one.required.map(String) : [];
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name])]));
}
