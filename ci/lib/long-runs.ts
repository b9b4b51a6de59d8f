/** Set by `npm run test:unit -- --long`, or by hand before `node --test FILE`. */
export const LONG_RUNS = 'VITRINE_LONG_RUNS';

/** How often a test repeats what chance decides: seldom in every run, often where long runs are asked for. */
export function repetitions(usual: number, long: number): number {
  return process.env[LONG_RUNS] ? long : usual;
}
