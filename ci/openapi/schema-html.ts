import { isObject, type Json, type JsonObject } from './json.ts';

/** Text as HTML: `code` between backticks, paragraphs separated by blank lines. */
export function prose(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('');
}

/** One paragraph's text. */
export function inline(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A schema for people: its type, its rules, and a table of its fields. */
export function schemaHtml(schema: Json | undefined): string {
  if (!isObject(schema)) return '';
  const fields = fieldsHtml(schema);
  return `<p class="type">${typeOf(schema)}${rulesOf(schema)}</p>${fields}`;
}

function fieldsHtml(schema: JsonObject): string {
  const rows = rowsOf(schema, '');
  return rows === '' ? '' : `<table class="fields">${rows}</table>`;
}

/** Nested objects become dotted names, so that one table holds the whole shape. */
function rowsOf(schema: JsonObject, prefix: string): string {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rows: string[] = [];
  for (const [name, field] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    if (isObject(field)) rows.push(rowOf(`${prefix}${name}`, field, required.includes(name)));
  }
  const entries = schema.additionalProperties;
  if (isObject(entries) && Object.keys(entries).length > 0) rows.push(rowOf(`${prefix}<id>`, entries, false));
  for (const part of [...objectsIn(schema.allOf), ...objectsIn(schema.anyOf)])
    rows.push(rowsOf(part, prefix));
  return rows.join('');
}

function rowOf(name: string, field: JsonObject, required: boolean): string {
  const label = `${escapeHtml(name)}${required ? '' : '<span class="optional" title="optional">?</span>'}`;
  const text = inline(descriptionOf(field));
  const row = `<tr><th scope="row"><code>${label}</code></th><td>${typeOf(field)}${rulesOf(field)}</td><td>${text}</td></tr>`;
  const inner = field.type === 'array' && isObject(field.items) ? field.items : field;
  return row + rowsOf(inner, inner === field ? `${name}.` : `${name}[].`);
}

/** The description of a field; that of the value if only the part of it that is not null has one. */
function descriptionOf(field: JsonObject): string {
  const described = [field, ...objectsIn(field.anyOf)].find(({ description }) => description !== undefined);
  return typeof described?.description === 'string' ? described.description : '';
}

function typeOf(schema: JsonObject): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `<a href="#shape-${escapeHtml(name)}">${escapeHtml(name)}</a>`;
  }
  if (Array.isArray(schema.enum)) {
    return schema.enum.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' ');
  }
  if ('const' in schema) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
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

const RULES: [string, (value: string) => string][] = [
  ['minimum', (value) => `≥ ${value}`],
  ['maximum', (value) => `≤ ${value}`],
  ['minLength', (value) => `at least ${value} characters`],
  ['maxLength', (value) => `at most ${value} characters`],
  ['minItems', (value) => `at least ${value}`],
  ['maxItems', (value) => `at most ${value}`],
  ['pattern', (value) => `<code class="pattern">${value}</code>`],
  ['default', (value) => `default <code>${value}</code>`],
  ['x-applied', (value) => `<span class="applied ${value}">${value}</span>`],
];

function rulesOf(schema: JsonObject): string {
  const said = RULES.filter(([key]) => key in schema).map(([key, say]) => {
    const value = schema[key];
    const text = key === 'default' || typeof value !== 'string' ? JSON.stringify(value) : value;
    return say(escapeHtml(text));
  });
  return said.length > 0 ? ` <span class="rules">${said.join(' · ')}</span>` : '';
}
