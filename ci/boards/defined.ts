import type { Evidence } from './evidence.ts';

/** The value of a definition. Throws when there is none. */
export function textOf({ defined }: Pick<Evidence, 'defined'>, name: string): string {
  const value = defined.get(name);
  if (value === undefined) throw new Error(`${name} is not defined`);
  return value;
}

/** The value of a definition that is a number, decimal or 0x…. */
export function numberOf(evidence: Pick<Evidence, 'defined'>, name: string): number {
  const text = textOf(evidence, name);
  const value = Number(text);
  if (text === '' || !Number.isSafeInteger(value)) throw new Error(`${name} is not a number: "${text}"`);
  return value;
}

/** A rendered file. Throws what the rendering said when it failed. */
export function templateOf({ templates, said }: Evidence, name: string): string {
  const text = templates.get(name);
  if (text === undefined || templates.has(`${name}.failed`)) {
    throw new Error(`${name} was not rendered: ${text ?? said.get(name)?.text ?? 'no such file'}`);
  }
  return text;
}

/** The lines of a configuration file that are neither empty nor a comment. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** One sentence when two values differ. */
export function differs(what: string, found: unknown, expected: unknown): string[] {
  return Object.is(found, expected) ? [] : [`${what} is ${String(found)}, not ${String(expected)}`];
}
