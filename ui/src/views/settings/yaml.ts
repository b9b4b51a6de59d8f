/**
 * Reads the YAML in which the device describes its API (`GET /openapi.yaml`, written by ci/openapi/yaml.ts): blocks by
 * indentation in steps of two, strings plain, quoted as in JSON, or literal (`|-`). Nothing else of YAML. Pure.
 */

/** A key, and the value on the same line. */
const ENTRY = /^("(?:[^"\\]|\\.)*"|[^"\s:][^":]*):(?: (.*))?$/;
/** How a value begins that is written as in JSON. */
const AS_JSON = /^(?:["[{\d-]|(?:true|false|null)$)/;
/** A text without quotes. */
const PLAIN = /^[A-Za-z/$][\w/${}.() -]*$/;

/** @throws Error for a text that is not such YAML */
export function readYaml(text: string): unknown {
  const lines = text.split('\n');
  while (lines[0]?.startsWith('#')) lines.shift();
  const reader = new Reader(lines);
  const value = reader.block(0);
  reader.end();
  return value;
}

class Reader {
  readonly #lines: string[];
  #at = 0;

  constructor(lines: string[]) {
    this.#lines = lines;
  }

  /** The value that begins at the current line, whose lines have `indent` spaces or more. */
  block(indent: number): unknown {
    const content = this.#content(indent);
    if (content?.startsWith('- ')) return this.#list(indent);
    if (content !== undefined && ENTRY.test(content)) return this.#object(indent);
    if (content === undefined) throw this.#error();
    this.#at += 1;
    return this.#scalar(content, indent);
  }

  /** @throws Error if anything is left */
  end(): void {
    if (this.#lines.slice(this.#at).some((line) => line !== '')) throw this.#error();
  }

  #list(indent: number): unknown[] {
    const items: unknown[] = [];
    for (;;) {
      const content = this.#content(indent);
      if (!content?.startsWith('- ')) return items;
      // An item begins on the line of its dash.
      this.#lines[this.#at] = `${' '.repeat(indent + 2)}${content.slice(2)}`;
      items.push(this.block(indent + 2));
    }
  }

  #object(indent: number): unknown {
    const entries: [string, unknown][] = [];
    for (;;) {
      const [, key, rest] = ENTRY.exec(this.#content(indent) ?? '') ?? [];
      if (key === undefined) return Object.fromEntries(entries);
      this.#at += 1;
      const name = key.startsWith('"') ? String(JSON.parse(key)) : key;
      entries.push([name, rest === undefined ? this.block(indent + 2) : this.#scalar(rest, indent + 2)]);
    }
  }

  /** A value on one line. @param indent of the lines of a literal text */
  #scalar(text: string, indent: number): unknown {
    if (text === '|-') return this.#literal(indent);
    if (AS_JSON.test(text)) return JSON.parse(text);
    if (!PLAIN.test(text)) throw this.#error();
    return text;
  }

  #literal(indent: number): string {
    const begin = this.#at;
    const margin = ' '.repeat(indent);
    const isPart = (line: string | undefined) => line === '' || line?.startsWith(margin);
    while (this.#at < this.#lines.length && isPart(this.#lines[this.#at])) this.#at += 1;
    // Empty lines at the end belong to the document.
    const lines = this.#lines.slice(begin, this.#at).map((line) => line.slice(indent));
    return lines.join('\n').trimEnd();
  }

  /** The current line without `indent` spaces; undefined if it has fewer or more of them, and at the end. */
  #content(indent: number): string | undefined {
    const line = this.#lines[this.#at];
    return line !== undefined && line.search(/\S/) === indent ? line.slice(indent) : undefined;
  }

  #error(): Error {
    return new Error(`line ${this.#at + 1} of the document cannot be read`);
  }
}
