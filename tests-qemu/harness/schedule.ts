/**
 * Runs jobs in order, at most `count` at a time. After an error no more jobs are started, and the error is thrown when the
 * running jobs have ended.
 */
export async function runSideBySide(jobs: readonly (() => Promise<void>)[], count: number): Promise<void> {
  const waiting = [...jobs];
  const errors: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next && errors.length === 0; next = waiting.shift()) {
      await next().catch((error: unknown) => void errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: count }, lane));
  if (errors.length > 0) throw errors[0];
}
