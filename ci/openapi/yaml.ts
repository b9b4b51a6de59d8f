/** A JSON value as block YAML 1.2; strings are quoted unless every parser reads them as strings. */
export function toYaml(value: unknown): string {
  return block(value, 0).replace(/^\n/, '').concat('\n');
}

function block(value: unknown, depth: number): string {
  const indent = '  '.repeat(depth);
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    return value
      .map((item: unknown) => {
        const text = block(item, depth + 1);
        // The first field of an object is on the line of the dash.
        return `\n${indent}- ${text.startsWith('\n') ? text.slice(indent.length + 3) : text.slice(1)}`;
      })
      .join('');
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, child]) => child !== undefined);
    if (entries.length === 0) return ' {}';
    return entries.map(([key, child]) => `\n${indent}${scalar(key)}:${block(child, depth + 1)}`).join('');
  }
  if (typeof value !== 'string') return ` ${JSON.stringify(value)}`;
  return LINES.test(value) ? ` |-\n${value.replace(/^(?=.)/gm, indent)}` : ` ${scalar(value)}`;
}

/** Text of several lines that a literal block can represent. */
const LINES = /^\S[^\r]*\n[^\r]*\S$/;
/** Words that YAML 1.1 or 1.2 does not read as strings. */
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n|~)$/i;

function scalar(text: string): string {
  const plain = /^[A-Za-z/$][\w/${}.() -]*$/.test(text) && !text.endsWith(' ') && !RESERVED.test(text);
  return plain ? text : JSON.stringify(text);
}
