import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../agent/src/base/system-error.ts';
import { withTimeout } from '../agent/src/base/timeout.ts';

/** A condition that was not met within its time limit. */
export class TimeoutError extends Error {
  override name = 'TimeoutError';
}

/** Longest pause that a slow condition causes, in ms. */
const LONGEST_PAUSE_MS = 1000;

/**
 * Polls the condition until it returns something other than undefined or false, and returns that value. An exception
 * counts as "not yet"; the message of the last one becomes part of the {@link TimeoutError}. What is asked pays for each
 * look, so a slow look is followed by a pause of the same length.
 * @param what name of the condition, as it reads after "waited 30 s for"
 */
export async function waitFor<T>(
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs, what, intervalMs = 100 }: { timeoutMs: number; what: string; intervalMs?: number },
): Promise<T> {
  const end = performance.now() + timeoutMs;
  let last = '';
  for (;;) {
    const start = performance.now();
    try {
      const value = await condition();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      last = errorMessage(error);
    }
    if (performance.now() >= end) {
      throw new TimeoutError(`waited ${timeoutMs / 1000} s for ${what}${last && `; last: ${last}`}`);
    }
    await sleep(Math.max(intervalMs, Math.min(performance.now() - start, LONGEST_PAUSE_MS)));
  }
}

/** The promise's value; throws a {@link TimeoutError} after `timeoutMs`. The work itself is not stopped. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  return await withTimeout(
    promise,
    timeoutMs,
    () => new TimeoutError(`waited ${timeoutMs / 1000} s for ${what}`),
  );
}
