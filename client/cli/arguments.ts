/** Reads options of a command line, and says which was meant when one is mistyped. */
import { parseArgs } from 'node:util';
import { closest } from '../../agent/src/base/spelling.ts';
import { errorMessage } from '../../agent/src/base/system-error.ts';

/** One command line option as `util.parseArgs` expects it, with its help text. */
export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  /** Placeholder for the value in the help text. */
  value?: string;
  help: string;
}

export type Options = Record<string, Option>;
export type Values<T extends Options> = {
  [K in keyof T]?: T[K]['type'] extends 'boolean' ? boolean : string;
};

/** The command line is wrong. The message is one sentence. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** @throws UsageError */
export function parseOptions<const T extends Options>(
  options: T,
  args: readonly string[],
): { values: Values<T>; rest: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    });
    return { values: values as Values<T>, rest: positionals };
  } catch (error) {
    throw new UsageError(whatIsWrong(error, Object.keys(options)));
  }
}

/** Node's message about an unknown option is mostly about arguments that begin with a dash. */
function whatIsWrong(error: unknown, names: readonly string[]): string {
  const message = errorMessage(error);
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return message.split(/\n|\. /, 1)[0] ?? message;
  const near = closest(unknown.replace(/^-+/, ''), names);
  return `there is no option ${unknown}${near === undefined ? '.' : `; did you mean --${near}?`}`;
}

/** The options with what they do, a line each. */
export function optionLines(options: Options): string {
  const lines = Object.entries(options).map(([name, { short, value, help }]) => {
    const left = `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
    return `  ${left.padEnd(24)} ${help}`;
  });
  return lines.join('\n');
}
