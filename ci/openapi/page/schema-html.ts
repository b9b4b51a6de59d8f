import { isObject, type Json, type JsonObject } from '../json.ts';
import { escapeHtml, inline } from './text-html.ts';

/** Which fields have a mark: those that a request must have, or those that an answer may lack. */
export type Marked = 'required' | 'optional';

/** Beginning of a reference to a schema of the document. */
const REF = '#/components/schemas/';

/** The name of the schema that a reference means; undefined for anything else. */
export function refName(schema: Json | undefined): string | undefined {
  const ref = isObject(schema) ? schema.$ref : undefined;
  return typeof ref === 'string' ? ref.slice(REF.length) : undefined;
}

/** Every schema that a part of the document refers to, directly or through others. */
export function shapesIn(part: Json, schemas: JsonObject, found = new Set<string>()): Set<string> {
  if (Array.isArray(part)) for (const item of part) shapesIn(item, schemas, found);
  if (!isObject(part)) return found;
  const name = refName(part);
  if (name !== undefined && schemas[name] !== undefined && !found.has(name)) {
    found.add(name);
    shapesIn(schemas[name], schemas, found);
  }
  for (const child of Object.values(part)) shapesIn(child, schemas, found);
  return found;
}

/** A schema for people: its type, its rules, and a list of its fields. */
export function schemaHtml(schema: Json | undefined, marked: Marked): string {
  if (!isObject(schema)) return '';
  const fields = fieldsHtml(schema, marked);
  const rules = rulesOf(schema);
  // The fields say that it is an object.
  const type = fields !== '' && schema.type === 'object' ? '' : typeOf(schema);
  if (type + rules === '') return fields;
  const name = refName(schema) ?? refName(schema.items);
  // The page's script shows the fields of the shape here.
  const shape = name === undefined ? '' : ` data-shape="${escapeHtml(name)}"`;
  return `<p class="type"${shape}>${type}${rules}</p>${fields}`;
}

/** The fields of an object alone. */
export function fieldsHtml(schema: JsonObject, marked: Marked): string {
  const rows = rowsOf(schema, '', marked);
  return rows === '' ? '' : `<dl class="fields">${rows}</dl>`;
}

function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Nested objects become dotted names, so that one list has the whole shape. */
function rowsOf(schema: JsonObject, prefix: string, marked: Marked): string {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rows: string[] = [];
  for (const [name, field] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    const mark = required.includes(name) === (marked === 'required') ? marked : undefined;
    if (isObject(field)) rows.push(rowOf(prefix, name, field, mark, marked));
  }
  const entries = schema.additionalProperties;
  if (isObject(entries) && Object.keys(entries).length > 0)
    rows.push(rowOf(prefix, '<id>', entries, undefined, marked));
  for (const part of [...objectsIn(schema.allOf), ...objectsIn(schema.anyOf)])
    rows.push(rowsOf(part, prefix, marked));
  return rows.join('');
}

function rowOf(
  prefix: string,
  name: string,
  field: JsonObject,
  mark: Marked | undefined,
  marked: Marked,
): string {
  const before = prefix === '' ? '' : `<span>${escapeHtml(prefix)}</span>`;
  const label = `<code>${before}${escapeHtml(name)}</code>`;
  const note = mark === undefined ? '' : ` <b class="${mark}">${mark}</b>`;
  const description = descriptionOf(field);
  const text = description === '' ? '' : `<p>${inline(description)}</p>`;
  const rules = rulesOf(field);
  const row = `<div><dt>${label} <span class="type">${typeOf(field)}</span>${note}</dt><dd>${text}${rules}</dd></div>`;
  const inner = field.type === 'array' && isObject(field.items) ? field.items : field;
  return row + rowsOf(inner, `${prefix}${name}${inner === field ? '.' : '[].'}`, marked);
}

/** The description of a field; that of the value if only the part of it that is not null has one. */
function descriptionOf(field: JsonObject): string {
  const described = [field, ...objectsIn(field.anyOf)].find(({ description }) => description !== undefined);
  return typeof described?.description === 'string' ? described.description : '';
}

/** What a schema allows besides null; undefined if that is nothing or several things. */
function onlyValue({ anyOf }: JsonObject): JsonObject | undefined {
  const choices = objectsIn(anyOf);
  const values = choices.filter(({ type }) => type !== 'null');
  return values.length === 1 && choices.length === 2 ? values[0] : undefined;
}

function typeOf(schema: JsonObject): string {
  const name = refName(schema);
  if (name !== undefined) return `<a href="#shape-${escapeHtml(name)}">${escapeHtml(name)}</a>`;
  if (Array.isArray(schema.enum)) {
    return schema.enum.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' ');
  }
  if ('const' in schema) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  const only = onlyValue(schema);
  if (only) return `${typeOf(only)} or null`;
  const choices = [...objectsIn(schema.anyOf), ...objectsIn(schema.oneOf)];
  if (choices.length > 0) return choices.map((choice) => typeOf(choice) + rulesOf(choice)).join(' or ');
  if (schema.type === 'array') {
    const items = isObject(schema.items) ? `${typeOf(schema.items)}${rulesOf(schema.items)}` : 'anything';
    return `list of ${items}`;
  }
  if (schema.type === 'object' && isObject(schema.additionalProperties)) return 'map';
  if (schema.format === 'binary') return 'bytes';
  return typeof schema.type === 'string' ? escapeHtml(schema.type) : 'any JSON';
}

/** Lower and upper limits, and what they count. */
const RANGES = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' character'],
  ['minItems', 'maxItems', ' item'],
  ['minProperties', 'maxProperties', ' field'],
] as const;

/** What a value must fulfil besides its type, also if it may be null. */
function rulesOf(schema: JsonObject): string {
  const only = onlyValue(schema);
  const said = only ? [...saidOf(only), ...saidOf(schema)] : saidOf(schema);
  return said.length > 0 ? ` <span class="rules">${said.join(' · ')}</span>` : '';
}

/** Each rule as HTML. That of a pattern is said in words if it has some. */
function saidOf(schema: JsonObject): string[] {
  const said: string[] = [];
  for (const [low, high, unit] of RANGES) {
    const [least, most] = [schema[low], schema[high]];
    const units = unit === '' || (most ?? least) === 1 ? unit : `${unit}s`;
    if (least !== undefined && most !== undefined) said.push(`${least} to ${most}${units}`);
    else if (least !== undefined) said.push(`at least ${least}${units}`);
    else if (most !== undefined) said.push(`at most ${most}${units}`);
  }
  const rule = schema['x-rule'];
  if (typeof rule === 'string') said.push(escapeHtml(rule));
  else if (typeof schema.pattern === 'string') said.push(`<code>${escapeHtml(schema.pattern)}</code>`);
  if (schema.default !== undefined) {
    said.push(`default <code>${escapeHtml(JSON.stringify(schema.default))}</code>`);
  }
  const applied = schema['x-applied'];
  if (typeof applied === 'string') {
    said.push(`<b class="applied ${escapeHtml(applied)}">${escapeHtml(applied.replaceAll('_', ' '))}</b>`);
  }
  return said;
}
