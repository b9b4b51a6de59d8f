/** A job, and whether it runs in a container, which needs less of the processors than an emulated machine. */
export interface Job {
  inContainer: boolean;
  run: () => Promise<void>;
}

/**
 * Runs jobs in order: `count` at a time, machines first, and beside them one more that runs in a container. After an error
 * no more jobs are started, and the error is thrown when the running jobs have ended.
 */
export async function runSideBySide(jobs: readonly Job[], count: number): Promise<void> {
  const waiting = [...jobs];
  const errors: unknown[] = [];
  const take = (inContainer: boolean): Job | undefined => {
    const at = waiting.findIndex((job) => job.inContainer === inContainer);
    return at < 0 ? undefined : waiting.splice(at, 1)[0];
  };
  const lane = async (next: () => Job | undefined): Promise<void> => {
    for (let job = next(); job && errors.length === 0; job = next()) {
      await job.run().catch((error: unknown) => void errors.push(error));
    }
  };
  const any = Array.from({ length: count }, () => lane(() => take(false) ?? take(true)));
  await Promise.all([...any, lane(() => take(true))]);
  if (errors.length > 0) throw errors[0];
}
