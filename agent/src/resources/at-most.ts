import { ApiError } from '../contract/errors.ts';

/**
 * Limits how many expensive calls (a whole file in memory, a process) run at once.
 * @param what the calls in plural, for the message: `uploads of files`
 * @returns a function that runs `work`, or throws ApiError `too_many_requests` while `limit` calls are running
 */
export function atMost(limit: number, what: string): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  return async (work) => {
    if (running >= limit) throw new ApiError('too_many_requests', `There are ${limit} ${what} already.`);
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };
}
