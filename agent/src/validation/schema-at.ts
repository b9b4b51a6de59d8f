/** Finds the part of a schema that a value inside another one was checked against, to say what may be there. */
import { closest } from '../base/spelling.ts';
import { RULE } from '../contract/shared.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** So many names are listed. */
const MAX_NAMES = 24;

/** The names of the fields of an object. @param path JSON pointer of the object in the value that the schema is for */
export function fieldsAt(schema: unknown, path: string): string[] {
  const names = schemasAt(schema, path).flatMap(({ properties }) => Object.keys(keywords(properties)));
  return [...new Set(names)];
}

/** What an error says of the text at `path`, which does not match the pattern; undefined if its schema does not say. */
export function ruleAt(schema: unknown, path: string, pattern: unknown): string | undefined {
  const rule = schemasAt(schema, path).find((one) => one.pattern === pattern)?.[RULE];
  return typeof rule === 'string' ? rule : undefined;
}

/** Says that a field is not known, and which are. */
export function unknownField(name: string, known: readonly string[]): string {
  const meant = closest(name, known);
  if (meant !== undefined) return `is not a known field; did you mean ${meant}?`;
  if (known.length === 0) return 'is not a known field; there are none here';
  const rest = known.length - MAX_NAMES;
  const names = known.slice(0, MAX_NAMES).join(', ');
  return `is not a known field; known are ${names}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function schemasAt(schema: unknown, path: string): Keywords[] {
  const keys = path.split('/').slice(1);
  return keys.reduce<Keywords[]>(
    (found, key) => found.flatMap((one) => branchesOf(partOf(one, unescapeKey(key)))),
    branchesOf(schema),
  );
}

/** A schema and those of which one must fit. */
function branchesOf(schema: unknown): Keywords[] {
  const one = keywords(schema);
  const others = Array.isArray(one.anyOf) ? one.anyOf : [];
  return [one, ...others.flatMap(branchesOf)];
}

/** The schema of a field or an entry of a list. */
function partOf({ properties, patternProperties, items }: Keywords, key: string): unknown {
  const named = keywords(properties);
  if (Object.hasOwn(named, key)) return named[key];
  return Object.values(keywords(patternProperties))[0] ?? items;
}

/** A schema's keywords; none if it is no object. */
export function keywords(schema: unknown): Keywords {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? { ...schema } : {};
}

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
