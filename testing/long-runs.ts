/** Set by `npm run test:unit -- --long`, or by hand before `node --test FILE`. */
export const LONG_RUNS = 'VITRINE_LONG_RUNS';

/** How often a randomised test repeats: `usual` times, or `long` times in a run with `--long`. */
export function repetitions(usual: number, long: number): number {
  return process.env[LONG_RUNS] ? long : usual;
}

/** Environment variable that `npm run test:full` sets: tests try all combinations of which others try some. */
export const FULL_RUN = 'VITRINE_FULL_RUN';
