/** A request as commands and programs that people can copy. Pure. */

/** A request without a file. */
export interface Sample {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Behind `/api/v1`, for example `/display/navigate`. */
  readonly path: string;
  readonly json?: object;
}

export const SAMPLE_KINDS = ['curl', 'TypeScript', 'Python'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

/**
 * The code of a request.
 * @param base `http://HOST:PORT/api/v1`
 */
export function sampleCode(kind: SampleKind, sample: Sample, base: string): string {
  const url = base + sample.path;
  if (kind === 'curl') return curl(sample, url);
  return kind === 'TypeScript' ? typescript(sample, url) : python(sample, url);
}

function curl({ method, json }: Sample, url: string): string {
  const parts = ['curl', '-X', method, shellWord(url)];
  if (json)
    parts.push('-H', shellWord('content-type: application/json'), '-d', shellWord(JSON.stringify(json)));
  return parts.join(' ');
}

/** A word of a POSIX shell: between single quotes everything is itself. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function typescript({ method, json }: Sample, url: string): string {
  const lines = [`  method: ${JSON.stringify(method)},`];
  if (json) {
    lines.push("  headers: { 'content-type': 'application/json' },");
    lines.push(`  body: JSON.stringify(${JSON.stringify(json)}),`);
  }
  return [
    `const answer = await fetch(${JSON.stringify(url)}, {`,
    ...lines,
    '});',
    'if (!answer.ok) throw new Error(await answer.text());',
    'console.log(await answer.json());',
  ].join('\n');
}

/** With the standard library alone. The escapes of JSON strings are those of Python. */
function python({ method, json }: Sample, url: string): string {
  const body = json
    ? ['body = json.dumps(', `    json.loads(${JSON.stringify(JSON.stringify(json))})`, ').encode()']
    : [];
  const data = json ? ', data=body, headers={"content-type": "application/json"}' : '';
  return [
    'import json',
    'import urllib.request',
    '',
    ...body,
    `request = urllib.request.Request(${JSON.stringify(url)}, method=${JSON.stringify(method)}${data})`,
    'with urllib.request.urlopen(request, timeout=30) as answer:',
    '    print(json.load(answer))',
  ].join('\n');
}
