/** How far a recovery goes: a new page, a new browser, a new compositor with a new browser. */
export type Stage = 'page' | 'browser' | 'compositor';

export interface Step {
  delayMs: number;
  stage: Stage;
  /** Tell people at the screen why they wait. */
  notice: boolean;
}

const CRASH_DELAYS_MS = [100, 1000, 3000, 10_000, 30_000, 60_000];
const LOAD_DELAYS_MS = [2000, 4000, 8000, 15_000, 30_000, 60_000];

/**
 * What to do after the n-th failure in a row. It never gives up: the delay is capped, not the tries.
 * @param failures 1 for the first failure since the page was last well
 * @param kind `load`: the page could not be fetched, which no restart of ours mends; `crash`: it hung or died
 */
export function recoveryStep(failures: number, kind: 'load' | 'crash'): Step {
  const delays = kind === 'load' ? LOAD_DELAYS_MS : CRASH_DELAYS_MS;
  const delayMs = delays[Math.min(failures, delays.length) - 1] ?? 0;
  if (kind === 'load') return { delayMs, stage: 'page', notice: true };
  const stage = failures === 4 ? 'browser' : failures === 6 ? 'compositor' : 'page';
  return { delayMs, stage, notice: delayMs >= 3000 };
}
