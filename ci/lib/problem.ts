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

/** What to show of something thrown: one sentence for a {@link Problem}, else with where it came from. */
export function describeError(error: unknown): string {
  if (error instanceof Problem) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Runs a command line's main function; a {@link Problem} becomes a sentence on stderr and exit code 1. */
export async function command(main: () => Promise<number | undefined>): Promise<void> {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    console.error(error instanceof Problem ? `\nvitrine: ${error.message}` : error);
    process.exitCode = 1;
  }
}
