import { isObject, type Json } from '../json.ts';

/** Longer objects and lists have a line for each entry, in characters. */
const MAX_LINE = 46;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** How a language writes values. */
interface Style {
  indent: string;
  /** Between the braces of an object on one line. */
  space: string;
  key: (name: string) => string;
  scalar: (value: null | boolean | number | string) => string;
}

const TYPESCRIPT: Style = {
  indent: '  ',
  space: ' ',
  key: (name) => (IDENTIFIER.test(name) ? name : typescriptString(name)),
  scalar: (value) => (typeof value === 'string' ? typescriptString(value) : String(value)),
};
const PYTHON: Style = {
  indent: '    ',
  space: '',
  key: (name) => JSON.stringify(name),
  scalar: (value) => {
    if (value === null) return 'None';
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    // The escapes of JSON strings are those of Python.
    return JSON.stringify(value);
  },
};
const JSON_STYLE: Style = { ...PYTHON, indent: '  ', space: ' ', scalar: (value) => JSON.stringify(value) };

/** A value in TypeScript. */
export function typescriptLiteral(value: Json): string {
  return literal(value, TYPESCRIPT);
}

/** A value in Python. */
export function pythonLiteral(value: Json): string {
  return literal(value, PYTHON);
}

/** A value in JSON, in as few lines as are easy to read. */
export function jsonLiteral(value: Json): string {
  return literal(value, JSON_STYLE);
}

/** A string in TypeScript, between single quotes. */
export function typescriptString(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function literal(value: Json, style: Style): string {
  if (!Array.isArray(value) && !isObject(value)) return style.scalar(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const space = Array.isArray(value) ? '' : style.space;
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, style))
    : Object.entries(value).map(([name, item]) => `${style.key(name)}: ${literal(item, style)}`);
  if (parts.length === 0) return open + close;
  const line = open + space + parts.join(', ') + space + close;
  if (line.length <= MAX_LINE && !line.includes('\n')) return line;
  // JSON allows no comma behind the last entry.
  const lines = parts.map((part) => style.indent + part.replaceAll('\n', `\n${style.indent}`));
  return `${open}\n${lines.join(',\n')}${style === JSON_STYLE ? '' : ','}\n${close}`;
}
