import { ApiError } from './errors.ts';

/**
 * Bounds what costs much while it runs (memory for a whole file, a process): more than `limit` at once is refused.
 * @param what of which there are too many, for the message: `uploads of files`
 * @returns runs `work`, or throws ApiError `too_many_requests`
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
