import {
  type Option,
  optionLines,
  parseOptions,
  UsageError,
  type Values,
} from '../../client/cli/arguments.ts';
import { Problem } from './problem.ts';

export type { Option };

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
    return parseOptions(options, args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new Problem(`${error.message}\n\n${helpText(usage, options)}`);
  }
}

/** For commands without arguments besides their options. @throws Problem */
export function requireNoRest([first]: readonly string[]): void {
  if (first !== undefined) throw new Problem(`unexpected argument "${first}"`);
}

function helpText(usage: string, options: Record<string, Option>): string {
  return `Usage: ${usage}\n${optionLines(options)}`;
}

/** Parses an integer of the command line. Throws a {@link Problem} when it is not between `min` and `max`. */
export function integerOf(text: string, min: number, max: number): number {
  const number = Number(text);
  if (text !== '' && Number.isInteger(number) && number >= min && number <= max) return number;
  throw new Problem(`"${text}" is not an integer from ${min} to ${max}.`);
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
