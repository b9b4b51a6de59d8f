/** A request as commands and programs that people can copy. Pure. */

export interface Sample {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Behind `/api/v1`, for example `/display/navigate`. */
  readonly path: string;
  readonly json?: object;
  /** A file that is sent: its name in the code, and its media type. */
  readonly file?: { readonly name: string; readonly type: string };
}

export const SAMPLE_KINDS = ['curl', 'TypeScript', 'Python'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

const JSON_TYPE = 'application/json';

/**
 * The code of a request.
 * @param base `http://HOST:PORT/api/v1`
 */
export function sampleCode(kind: SampleKind, sample: Sample, base: string): string {
  const url = base + sample.path;
  if (kind === 'curl') return curl(sample, url);
  return kind === 'TypeScript' ? typescript(sample, url) : python(sample, url);
}

function curl({ method, json, file }: Sample, url: string): string {
  const parts = ['curl', '-X', method, shellWord(url)];
  const type = typeOf({ json, file });
  if (type) parts.push('-H', shellWord(`content-type: ${type}`));
  if (json) parts.push('-d', shellWord(JSON.stringify(json)));
  if (file) parts.push('-T', shellWord(file.name));
  return parts.join(' ');
}

/** A word of a POSIX shell: between single quotes everything is itself. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function typescript({ method, json, file }: Sample, url: string): string {
  const lines = [`  method: ${JSON.stringify(method)},`];
  const type = typeOf({ json, file });
  if (type) lines.push(`  headers: { 'content-type': ${JSON.stringify(type)} },`);
  if (json) lines.push(`  body: JSON.stringify(${JSON.stringify(json)}),`);
  if (file) lines.push(`  body: await readFile(${JSON.stringify(file.name)}),`);
  return [
    ...(file ? ["import { readFile } from 'node:fs/promises';", ''] : []),
    `const answer = await fetch(${JSON.stringify(url)}, {`,
    ...lines,
    '});',
    'if (!answer.ok) throw new Error(await answer.text());',
    `console.log(await answer.${mayBeEmpty(method) ? 'text' : 'json'}());`,
  ].join('\n');
}

/** With the standard library alone. The escapes of JSON strings are those of Python. */
function python({ method, json, file }: Sample, url: string): string {
  const type = typeOf({ json, file });
  const data = type ? `, data=body, headers={"content-type": ${JSON.stringify(type)}}` : '';
  return [
    ...(json || !mayBeEmpty(method) ? ['import json'] : []),
    'import urllib.request',
    '',
    ...(json
      ? ['body = json.dumps(', `    json.loads(${JSON.stringify(JSON.stringify(json))})`, ').encode()']
      : []),
    ...(file ? [`with open(${JSON.stringify(file.name)}, "rb") as file:`, '    body = file.read()'] : []),
    `request = urllib.request.Request(${JSON.stringify(url)}, method=${JSON.stringify(method)}${data})`,
    'with urllib.request.urlopen(request, timeout=30) as answer:',
    mayBeEmpty(method) ? '    print(answer.read().decode())' : '    print(json.load(answer))',
  ].join('\n');
}

function typeOf({
  json,
  file,
}: {
  json: object | undefined;
  file: Sample['file'] | undefined;
}): string | undefined {
  return json ? JSON_TYPE : file?.type;
}

/** Whether the answer to a method can be one without a body (docs/api.md: Responses). */
function mayBeEmpty(method: Sample['method']): boolean {
  return method === 'PUT' || method === 'DELETE';
}
