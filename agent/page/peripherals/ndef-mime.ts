/** MIME types as browsers understand them (https://mimesniff.spec.whatwg.org/#parsing-a-mime-type). Pure. */

const TOKEN = /^[!#$%&'*+\-.^_`|~A-Za-z0-9]+$/;
const ESSENCE = /^[\t\n\r ]*([^/;]+)\/([^;]*?)[\t\n\r ]*(?:;|$)/;
/** One parameter: `name=value`, `name="quoted \"value\""`, or something without a value. */
const PARAMETER = /[\t\n\r ]*([^;=]*)(?:=(?:"((?:[^"\\]|\\[\s\S])*)(?:"[^;]*|\\?$)|([^;]*)))?(?:;|$)/y;
const VALUE = /^[\t -~\u0080-\u00ff]*$/;

/** The type as it is to be written, in its canonical spelling. @returns undefined if it is none */
export function normalizedMimeType(text: string): string | undefined {
  const match = ESSENCE.exec(text);
  const [whole = '', type = '', subtype = ''] = match ?? [];
  if (!match || !TOKEN.test(type) || !TOKEN.test(subtype)) return undefined;
  let result = `${type}/${subtype}`.toLowerCase();
  const known = new Set<string>();
  PARAMETER.lastIndex = whole.length;
  while (PARAMETER.lastIndex < text.length) {
    const [, rawName = '', quoted, plain] = PARAMETER.exec(text) ?? assertMatch();
    const name = rawName.toLowerCase();
    const value = quoted?.replace(/\\([\s\S])/g, '$1') ?? plain?.replace(/[\t\n\r ]+$/, '');
    const isUsable = value !== undefined && (value !== '' || quoted !== undefined) && VALUE.test(value);
    if (!isUsable || !TOKEN.test(name) || known.has(name)) continue;
    known.add(name);
    result += `;${name}=${TOKEN.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
  }
  return result;
}

/** Every text has a next parameter, if only an empty one. */
function assertMatch(): never {
  throw new Error('a MIME type could not be parsed');
}
