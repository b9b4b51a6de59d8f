/**
 * An error that the user of a command can fix. It is printed as one sentence without a stack trace, and the command
 * exits with code 1.
 */
export class Problem extends Error {
  override name = 'Problem';
}

/** Text for a thrown value: one sentence for errors that the user can fix, else with the stack trace. */
export function describeError(error: unknown): string {
  const sentence = error instanceof Problem ? error.message : refusal(error);
  if (sentence !== undefined) return sentence;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** File system errors that the user can fix: missing permissions, a read-only or full disk. */
const REFUSALS = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR'];

/** A sentence for a file that cannot be written on this computer; undefined for every other error. */
export function refusal(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return undefined;
  // Node reports ENOENT when a folder cannot be created on a read-only disk.
  const noFolder = error.code === 'ENOENT' && error.syscall === 'mkdir';
  if (!noFolder && !REFUSALS.includes(String(error.code))) return undefined;
  return (
    `a required file or folder cannot be written (${error.message}). ` +
    'The cache is in the folder that VITRINE_CACHE names, by default in ~/.cache/vitrine.'
  );
}

/** Runs the main function of a command. A {@link Problem} is printed on stderr and sets exit code 1. */
export async function command(main: () => Promise<number | undefined>): Promise<void> {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    const sentence = error instanceof Problem ? error.message : refusal(error);
    console.error(sentence === undefined ? error : `\nvitrine: ${sentence}`);
    process.exitCode = 1;
  }
}
