/** Values for a schema: some that fit it, and others that are wrong somewhere. */
import fc, { type Arbitrary } from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** Anything, often close to what some rule asks for. */
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    null,
    -1,
    0,
    1.5,
    65_536,
    1e21,
    '',
    ' ',
    '\n',
    '💡'.repeat(40),
    'x'.repeat(9000),
    [],
    {},
  ),
  fc.constantFrom<unknown>({ __proto__: null, constructor: 1 }, [[]], Array(70).fill('a'), 'wpe', '5', 'DE'),
);

function text(schema: Schema): Arbitrary<string> {
  const { pattern, minLength, maxLength } = schema;
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 40 });
  const longest = Math.min(numberOf(maxLength, 20), 300);
  return fc.string({
    unit: 'grapheme',
    minLength: Math.min(numberOf(minLength, 0), longest),
    maxLength: longest,
  });
}

function object(schema: Schema): Arbitrary<unknown> {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const fields = Object.entries(isSchema(schema.properties) ? schema.properties : {}).map(
    ([name, field]) => [name, fitting(field)] as const,
  );
  const known = fc.record(Object.fromEntries(fields), {
    requiredKeys: required.filter((name) => fields.some(([field]) => field === name)),
    noNullPrototype: true,
  });
  const [entry] = Object.values(isSchema(schema.patternProperties) ? schema.patternProperties : {});
  if (entry === undefined) return known;
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fitting(entry), {
    maxKeys: 3,
    noNullPrototype: true,
  });
}

/** Values that fit a schema, as far as generators of its rules can tell. */
function fitting(schema: unknown): Arbitrary<unknown> {
  if (!isSchema(schema)) return junk;
  if (Array.isArray(schema.anyOf)) return fc.oneof(...schema.anyOf.map(fitting));
  if (Array.isArray(schema.enum)) return fc.constantFrom<unknown>(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  const { minimum, maximum } = schema;
  switch (schema.type) {
    case 'object':
      return object(schema);
    case 'array':
      return fc.array(fitting(schema.items), { maxLength: Math.min(numberOf(schema.maxItems, 4), 4) });
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({ min: numberOf(minimum, -1000), max: numberOf(maximum, 1e6) });
    case 'number':
      return fc.double({ min: numberOf(minimum, -1000), max: numberOf(maximum, 1e6), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return junk;
  }
}

/** A copy of `value` in which a part, chosen by `turns`, is replaced, removed, or has a field more. */
function spoilt(value: unknown, turns: readonly number[], part: unknown, depth = 0): unknown {
  const turn = turns[depth] ?? 0;
  if (typeof value !== 'object' || value === null || turn === 0) return part;
  if (Array.isArray(value)) {
    if (value.length === 0) return [part];
    return value.map((item, at) =>
      at === turn % value.length ? spoilt(item, turns, part, depth + 1) : item,
    );
  }
  const entries = Object.entries(value);
  if (entries.length === 0 || turn === 1) return { ...value, extra: part };
  const at = turn % entries.length;
  if (turn === 2) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(
    entries.map(([name, child], index) => [
      name,
      index === at ? spoilt(child, turns, part, depth + 1) : child,
    ]),
  );
}

/** Values that fit `schema`, values with one or several things wrong, and unrelated values. */
export function valuesFor(schema: object): Arbitrary<unknown> {
  const good = fitting(JSON.parse(JSON.stringify(schema)));
  const turns = fc.array(fc.nat({ max: 30 }), { maxLength: 4 });
  const once = fc.tuple(good, turns, junk).map(([value, way, part]) => spoilt(value, way, part));
  const twice = fc.tuple(once, turns, junk).map(([value, way, part]) => spoilt(value, way, part));
  return fc.oneof({ weight: 3, arbitrary: good }, { weight: 3, arbitrary: once }, twice, junk);
}
