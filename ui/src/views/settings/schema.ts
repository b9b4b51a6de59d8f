/** The configuration's schema as groups of fields, from the description of the API that the device serves. Pure. */
import { isObject, type JsonObject, own, type Path, valueAt } from './json.ts';

/** When a change takes effect; `mixed` for an entry of which some parts do so at once. */
export type Applied = 'live' | 'reboot_required' | 'mixed';
/** How a field is edited. `lines` is a list of texts; `json` is everything that has no form of its own. */
export type Kind = 'boolean' | 'choice' | 'number' | 'text' | 'secret' | 'lines' | 'json';

/** A part of an entry of a list or map, in the words of the schema. */
export interface EntryPart {
  readonly name: string;
  readonly text: string;
}

/** One field of the configuration: what a patch changes as a whole. */
export interface Field {
  /** Dotted: `wifi.ap.psk`. */
  readonly name: string;
  readonly path: Path;
  /** For people, in English: `AP: PSK`. */
  readonly label: string;
  readonly kind: Kind;
  /** Null is allowed and the default; the description says what it means. */
  readonly isNullable: boolean;
  /** A map: entries by a name. */
  readonly isMap: boolean;
  /** There may be a passphrase or token in it. */
  readonly hasSecret: boolean;
  /** All values that are allowed; empty if they cannot be listed. */
  readonly options: readonly (string | number)[];
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly step: number | undefined;
  readonly maxLength: number | undefined;
  readonly unit: string | undefined;
  readonly default: unknown;
  readonly applied: Applied;
  /** In a map, the parts of an entry that take effect at the next boot. */
  readonly restartParts: readonly Path[];
  readonly description: string;
  readonly entry: readonly EntryPart[];
  /** An entry of a list or map; undefined for others. */
  readonly example: unknown;
}

export interface Group {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly Field[];
}

type Resolve = (schema: unknown) => JsonObject;

/** The API does not mark secrets otherwise. */
const SECRET = /(?:^|_)(?:psk|passphrase|password|secret|token)$/;
const MOST_REFERENCES = 10;

/** Words of names that people know in capitals. */
const CAPITALS = new Set('ap cs hid http https i2c id nfc ntp pac psk spi ssid tls ui url usb'.split(' '));
/** Units by the end of a name. */
const UNITS: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/_ms$/, 'ms'],
  [/_s$/, 's'],
  [/_mb$/, 'MiB'],
  [/_bytes$/, 'B'],
];
/** Units by the beginning of a description. */
const DESCRIBED_UNITS: readonly (readonly [beginning: RegExp, unit: string])[] = [
  [/^Percent\b/, '%'],
  [/^Degrees\b/, '°'],
  [/^GHz\b/, 'GHz'],
];

/** Whether a key is that of a passphrase or token. */
export function isSecretName(key: string): boolean {
  return SECRET.test(key);
}

/**
 * The groups of the configuration in their order.
 * @param document the parsed OpenAPI document
 * @throws Error if it does not describe a configuration
 */
export function groupsOf(document: unknown): Group[] {
  const schemas = valueAt(document, ['components', 'schemas']);
  const resolve = (schema: unknown): JsonObject => resolved(schema, schemas);
  const groups = propertiesOf(resolve(own(schemas, 'Config'))).flatMap(([name, raw]): Group[] => {
    const schema = resolve(raw);
    // The version of the document is no group.
    if (!isSection(schema)) return [];
    return [{ name, description: text(schema.description), fields: fieldsIn(schema, [name], resolve) }];
  });
  if (groups.length === 0) throw new Error('the document does not describe the configuration');
  return groups;
}

/** The schema that a reference stands for, with what is said beside the reference. */
function resolved(schema: unknown, schemas: unknown): JsonObject {
  let found = isObject(schema) ? schema : {};
  for (let steps = 0; typeof found.$ref === 'string' && steps < MOST_REFERENCES; steps++) {
    const { $ref, ...beside } = found;
    const target = own(schemas, String($ref).replace('#/components/schemas/', ''));
    found = { ...(isObject(target) ? target : {}), ...beside };
  }
  return found;
}

function fieldsIn(section: JsonObject, path: Path, resolve: Resolve): Field[] {
  return propertiesOf(section).flatMap(([key, raw]) => {
    const schema = resolve(raw);
    const at = [...path, key];
    return isSection(schema) ? fieldsIn(schema, at, resolve) : [fieldOf(schema, at, resolve)];
  });
}

function fieldOf(given: JsonObject, path: Path, resolve: Resolve): Field {
  const { schema, isNullable } = withoutNull(given, resolve);
  const key = path.at(-1) ?? '';
  const items = resolve(schema.items ?? schema.additionalProperties);
  const kind = kindOf(schema, key, items);
  const description = text(schema.description);
  const restartParts = partsOf(items, resolve).filter(([, part]) => part['x-applied'] === 'reboot_required');
  return {
    name: path.join('.'),
    path,
    label: labelOf(path.slice(1)),
    kind,
    isNullable,
    isMap: isMap(schema),
    hasSecret: kind === 'secret' || (kind === 'json' && hasSecret(items, resolve)),
    options: listOf(kind === 'lines' ? items.enum : schema.enum).filter(isOption),
    min: numberOf(schema.minimum),
    max: numberOf(schema.maximum),
    step: numberOf(schema.multipleOf) ?? (schema.type === 'integer' ? 1 : undefined),
    maxLength: numberOf(schema.maxLength),
    unit: unitOf(key, description),
    default: schema.default ?? (isNullable ? null : undefined),
    applied: appliedOf(schema, items, resolve),
    restartParts: restartParts.map(([at]) => at),
    description,
    entry: kind === 'json' ? entryOf(items, resolve) : [],
    example: kind === 'json' ? exampleOf(items, resolve) : undefined,
  };
}

/** The schema of the values that are not null, with what is said about both. */
function withoutNull(given: JsonObject, resolve: Resolve): { schema: JsonObject; isNullable: boolean } {
  const { anyOf, ...about } = given;
  const branches = listOf(anyOf).map(resolve);
  const [branch, ...others] = branches.filter(({ type }) => type !== 'null');
  if (!branch || others.length > 0) return { schema: given, isNullable: false };
  return { schema: { ...branch, ...about }, isNullable: branches.length > 1 };
}

function kindOf(schema: JsonObject, key: string, items: JsonObject): Kind {
  if (Array.isArray(schema.enum)) return 'choice';
  switch (schema.type) {
    case 'boolean':
      return 'boolean';
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
      return isSecret(schema, key) ? 'secret' : 'text';
    case 'array':
      return items.type === 'string' ? 'lines' : 'json';
    default:
      return 'json';
  }
}

function isSecret(schema: JsonObject, key: string): boolean {
  return schema.writeOnly === true || schema.format === 'password' || isSecretName(key);
}

function hasSecret(items: JsonObject, resolve: Resolve): boolean {
  return partsOf(items, resolve).some(([path, part]) => isSecret(part, path.at(-1) ?? ''));
}

/** The leaves of an entry, with their paths in it. */
function partsOf(entry: JsonObject, resolve: Resolve, path: Path = []): [Path, JsonObject][] {
  return propertiesOf(entry).flatMap(([key, raw]): [Path, JsonObject][] => {
    const { schema } = withoutNull(resolve(raw), resolve);
    const at = [...path, key];
    return isSection(schema) ? partsOf(schema, resolve, at) : [[at, schema]];
  });
}

function appliedOf(schema: JsonObject, items: JsonObject, resolve: Resolve): Applied {
  const declared = schema['x-applied'];
  if (typeof declared === 'string') return declared === 'live' ? 'live' : 'reboot_required';
  const parts = new Set(partsOf(items, resolve).map(([, part]) => part['x-applied'] === 'live'));
  if (parts.size > 1) return 'mixed';
  return parts.has(true) ? 'live' : 'reboot_required';
}

function entryOf(items: JsonObject, resolve: Resolve): EntryPart[] {
  const required = listOf(items.required);
  return partsOf(items, resolve).map(([path, part]) => {
    const values = Array.isArray(part.enum) ? part.enum.join(', ') : text(part.type);
    const isOptional = path.length === 1 && !required.includes(path[0]);
    const words = [isOptional ? `${values} (optional)` : values, text(part.description)];
    return { name: path.join('.'), text: words.filter((word) => word !== '').join('. ') };
  });
}

function exampleOf(given: JsonObject, resolve: Resolve): unknown {
  const { schema } = withoutNull(given, resolve);
  if (isSection(schema)) {
    const parts = propertiesOf(schema).map(([key, raw]) => [key, exampleOf(resolve(raw), resolve)]);
    return Object.fromEntries(parts);
  }
  const known = listOf(schema.examples)[0] ?? schema.default ?? listOf(schema.enum)[0];
  if (known !== undefined) return known;
  switch (schema.type) {
    case 'array':
      return [exampleOf(resolve(schema.items), resolve)];
    case 'integer':
    case 'number':
      return numberOf(schema.minimum) ?? 0;
    case 'boolean':
      return false;
    default:
      return '…';
  }
}

function labelOf(path: Path): string {
  return path.map(words).join(': ');
}

function words(key: string): string {
  const [first = '', ...others] = key
    .replace(/_(?:ms|s|mb)$/, '')
    .split('_')
    .map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word));
  return [first.charAt(0).toUpperCase() + first.slice(1), ...others].join(' ');
}

function unitOf(key: string, description: string): string | undefined {
  const byName = UNITS.find(([ending]) => ending.test(key));
  return (byName ?? DESCRIBED_UNITS.find(([beginning]) => beginning.test(description)))?.[1];
}

function isSection(schema: JsonObject): boolean {
  return isObject(schema.properties);
}

function isMap(schema: JsonObject): boolean {
  return schema.type === 'object' && isObject(schema.additionalProperties);
}

function propertiesOf({ properties }: JsonObject): [string, unknown][] {
  return isObject(properties) ? Object.entries(properties) : [];
}

function isOption(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
