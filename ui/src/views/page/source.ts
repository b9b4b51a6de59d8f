/** The end of a URL with its line, which says most where there is little room: `app.js:12`. */
export function shortSource(source: string): string {
  const path = source.split(/[?#]/, 1)[0] ?? '';
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
  const line = /:\d+$/.exec(source)?.[0] ?? '';
  return name.endsWith(line) ? name : name + line;
}
