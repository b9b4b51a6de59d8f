import { parseArgs } from 'node:util';
import { closest } from '../../agent/src/base/spelling.ts';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { Problem } from './problem.ts';

/** One command line option as `util.parseArgs` expects it, with its help text. */
export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  /** Placeholder for the value in the help text. */
  value?: string;
  help: string;
}

type Values<T extends Record<string, Option>> = {
  [K in keyof T]?: T[K]['type'] extends 'boolean' ? boolean : string;
};

/**
 * Parses `process.argv`. Throws a {@link Problem} that lists the valid options when an option is unknown; `--help`
 * prints that list and exits.
 */
export function readArguments<const T extends Record<string, Option>>(
  usage: string,
  options: T,
  args: string[] = process.argv.slice(2),
): { values: Values<T>; rest: string[] } {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(helpText(usage, options));
    process.exit(0);
  }
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    return { values: values as Values<T>, rest: positionals };
  } catch (error) {
    throw new Problem(`${whatIsWrong(error, Object.keys(options))}\n\n${helpText(usage, options)}`);
  }
}

/** For commands without arguments besides their options. @throws Problem */
export function requireNoRest([first]: readonly string[]): void {
  if (first !== undefined) throw new Problem(`unexpected argument "${first}"`);
}

/** Node's message about an unknown option is mostly about arguments that begin with a dash. */
function whatIsWrong(error: unknown, names: readonly string[]): string {
  const message = errorMessage(error);
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return message.split(/\n|\. /, 1)[0] ?? message;
  const near = closest(unknown.replace(/^-+/, ''), names);
  return `there is no option ${unknown}${near === undefined ? '.' : `; did you mean --${near}?`}`;
}

function helpText(usage: string, options: Record<string, Option>): string {
  const lines = Object.entries(options).map(([name, { value, help }]) => {
    const left = `--${name}${value ? ` ${value}` : ''}`;
    return `  ${left.padEnd(24)} ${help}`;
  });
  return `Usage: ${usage}\n${lines.join('\n')}`;
}

/** Name of a machine that was given none. */
export const DEFAULT_NAME = 'vitrine';

/** Checks a machine's name (default: vitrine). It becomes a folder's name, so few characters are allowed. */
export function machineName(text: string | undefined): string {
  const name = text ?? DEFAULT_NAME;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)) {
    throw new Problem(`"${name}" is not a valid machine name: use letters, digits, ".", "_" and "-".`);
  }
  return name;
}
