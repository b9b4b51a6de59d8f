/** Block YAML 1.2 of a JSON value: two spaces a level, strings plain where no reader can mistake them. */
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
        // The first field of an object stands beside its dash.
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

/** Text of several lines that a literal block carries as it is. */
const LINES = /^\S[^\r]*\n[^\r]*\S$/;
/** What YAML 1.1 or 1.2 would read as something else than a string. */
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n|~)$/i;

function scalar(text: string): string {
  const plain = /^[A-Za-z/$][\w/${}.() -]*$/.test(text) && !text.endsWith(' ') && !RESERVED.test(text);
  return plain ? text : JSON.stringify(text);
}
