/** The keeper's times. They are generous: a board that boots or is busy is slow without any fault. */

/** How far a recovery goes: a new page, a new browser, a new compositor with a new browser. */
export type Stage = 'page' | 'browser' | 'compositor';
/** `load`: the page could not be fetched, which no restart fixes; `crash`: page or browser hung or died. */
export type FailureKind = 'load' | 'crash';

/** What to do after a failure. */
export interface Step {
  delayMs: number;
  stage: Stage;
  /** Show the reason on the screen meanwhile. */
  notice: boolean;
}

const DELAYS_MS: Readonly<Record<FailureKind, readonly number[]>> = {
  load: [2000, 4000, 8000, 15_000, 30_000, 60_000],
  // The first crash is repaired at once: most are the only one.
  crash: [0, 1000, 3000, 10_000, 30_000, 60_000],
};
/** A crash that is followed by a delay as long as this is explained on the screen. */
const NOTICE_FROM_MS = 3000;

/**
 * What to do after the n-th failure in a row. It never gives up: the delay is capped, not the tries.
 * @param failures 1 for the first failure since the page was last stable
 */
export function recoveryStep(failures: number, kind: FailureKind): Step {
  const delays = DELAYS_MS[kind];
  const delayMs = delays[Math.min(failures, delays.length) - 1] ?? 0;
  if (kind === 'load') return { delayMs, stage: 'page', notice: true };
  const stage = failures === 4 ? 'browser' : failures === 6 ? 'compositor' : 'page';
  return { delayMs, stage, notice: delayMs >= NOTICE_FROM_MS };
}

/** All times in ms. */
export const TIMING = {
  /** Failures are forgotten when the page has been up for this long. */
  stableMs: 60_000,
  /** How long the browser may stay away before its unit is restarted; doubles up to 16 times that. */
  awayMs: 60_000,
  pingEveryMs: 4000,
  /** How long the page's main thread may take to answer a ping. */
  pongMs: 8000,
  /** Pings in a row without an answer until the page counts as unresponsive. After a missed one the next follows at once. */
  misses: 2,
  /** How often frames are checked. A still page is painted for each check, so no oftener than once a minute. */
  frameEveryMs: 60_000,
  /** How long a frame may take to reach the screen. */
  frameMs: 20_000,
  /** The time until the first check after a frozen screen was recovered. */
  frameAgainMs: 10_000,
  /** From the request for a page until the browser starts to load it, in place of another page. */
  beginMs: 15_000,
  /** From then, or from the request without another page, until its document is there. */
  documentMs: 60_000,
  /** From then until the rest of the page is there. */
  completeMs: 60_000,
  step: recoveryStep,
};
