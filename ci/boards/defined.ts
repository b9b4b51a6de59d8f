import type { Evidence } from './evidence.ts';

/** The value of a definition. Throws when it is not defined. */
export function textOf({ defined }: Pick<Evidence, 'defined'>, name: string): string {
  const value = defined.get(name);
  if (value === undefined) throw new Error(`${name} is not defined`);
  return value;
}

/** The numeric value of a definition, decimal or 0x…. Throws when it is not a number. */
export function numberOf(evidence: Pick<Evidence, 'defined'>, name: string): number {
  const text = textOf(evidence, name);
  const value = Number(text);
  if (text === '' || !Number.isSafeInteger(value)) throw new Error(`${name} is not a number: "${text}"`);
  return value;
}

/** A rendered file. Throws an error with the renderer's output when rendering failed. */
export function templateOf({ templates, programs }: Evidence, name: string): string {
  const text = templates.get(name);
  if (text === undefined || templates.has(`${name}.failed`)) {
    throw new Error(`${name} was not rendered: ${text ?? programs.get(name)?.text ?? 'no such file'}`);
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

/** One sentence if two values differ, else none. */
export function differs(what: string, found: unknown, expected: unknown): string[] {
  return Object.is(found, expected) ? [] : [`${what} is ${String(found)}, not ${String(expected)}`];
}
