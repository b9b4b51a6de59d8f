/**
 * Something that the person who ran the command can put right. It is shown as one sentence, without a stack,
 * and ends the command with exit code 1.
 */
export class Problem extends Error {
  override name = 'Problem';
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What to show of something thrown: one sentence for what its user can put right, else with where it came from. */
export function describeError(error: unknown): string {
  const sentence = error instanceof Problem ? error.message : refusal(error);
  if (sentence !== undefined) return sentence;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** What the computer refuses for reasons that its user knows: rights, a read-only or full disk. */
const REFUSALS = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR'];

/** A sentence for a file that this computer does not let be written; undefined for every other error. */
export function refusal(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return undefined;
  // Node's own way to say that a folder on a read-only disk cannot be made.
  const noFolder = error.code === 'ENOENT' && error.syscall === 'mkdir';
  if (!noFolder && !REFUSALS.includes(String(error.code))) return undefined;
  return (
    `this computer refuses a file or folder that is needed (${error.message}). ` +
    'What is kept between runs goes to the folder that VITRINE_CACHE names, else below HOME.'
  );
}

/** Runs a command line's main function; a {@link Problem} becomes a sentence on stderr and exit code 1. */
export async function command(main: () => Promise<number | undefined>): Promise<void> {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    const sentence = error instanceof Problem ? error.message : refusal(error);
    console.error(sentence === undefined ? error : `\nvitrine: ${sentence}`);
    process.exitCode = 1;
  }
}
