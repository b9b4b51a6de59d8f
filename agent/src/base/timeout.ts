import timers from 'node:timers/promises';

/**
 * Settles like `work`, or rejects after a timeout. `work` is not stopped; its later result is ignored.
 * @param ms timeout in milliseconds
 * @param error creates the timeout's error; by default an Error that names `ms`
 */
export async function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  error: () => Error = () => new Error(`not done after ${ms} ms`),
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(error()), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves after `ms` milliseconds, or as soon as `signal` aborts. Does not keep the process alive. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await timers.setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
