/** A call of a native module that takes longer, in ms, blocks one of few threads and may never end. */
const HANG_MS = 10_000;

/**
 * Waits for a call of a native module.
 * @param what names the call for the log
 * @param extraMs how much longer than usual it may take, in ms
 */
export type Watch = <T>(what: string, work: Promise<T>, extraMs?: number) => Promise<T>;

/** For programs that end when they like. */
export const unwatched: Watch = (_what, work) => work;

/**
 * Calls `hung` when a call of a native module does not end: it blocks a thread that cannot be stopped, so the process
 * must be replaced.
 * @param hangMs how long a call may take, in ms
 */
export function watchFor(hung: (what: string) => void, hangMs = HANG_MS): Watch {
  return async (what, work, extraMs = 0) => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      hung(what);
      reject(new Error(`${what} hangs.`));
    }, hangMs + extraMs);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
