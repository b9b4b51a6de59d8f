/** Which step an update is at. Pure. */
import type { Operation } from './update-state.ts';

/** The steps in their order. `confirm`: the new version runs, and has to prove itself. */
export const STEPS = ['send', 'verify', 'write', 'restart', 'confirm'] as const;
export type StepName = (typeof STEPS)[number];

/** Progress of the operation at which a sent bundle has arrived (the agent's `ARRIVED`). */
const ARRIVED = 0.3;
/**
 * Progress of RAUC up to which it verifies (src/install.c: the last step, "update_slots", has a weight of 6 in 10). It
 * stays there while the whole payload is read (overlay/usr/lib/vitrine/check-bundle).
 */
const VERIFIED = 0.4;
/** Smaller than the first progress of writing, larger than errors of rounding. */
const MARGIN = 0.005;

export interface StepState {
  readonly name: StepName;
  readonly state: 'done' | 'running' | 'failed' | 'open';
}

/**
 * The step of an installation that runs or has failed. A bundle that the device fetches from a fleet server is verified
 * and written while it arrives; its length is not known.
 */
export function stepOf({ progress, bytes_done, bytes_total }: Operation): 'send' | 'verify' | 'write' {
  const isFetched = bytes_total === null && bytes_done === 0;
  // The progress may stay a little below, until RAUC reports the first one of its own.
  const hasArrived = progress >= ARRIVED || (bytes_total !== null && bytes_done >= bytes_total);
  if (!isFetched && !hasArrived) return 'send';
  return installed({ progress, isFetched }) <= VERIFIED + MARGIN ? 'verify' : 'write';
}

/** How much of a step is done, 0 to 1; undefined if it is not known. */
export function shareOf(operation: Operation): number | undefined {
  const { progress, bytes_done, bytes_total } = operation;
  const step = stepOf(operation);
  if (step === 'send') return bytes_total ? bytes_done / bytes_total : undefined;
  if (step === 'verify') return undefined;
  const fraction = installed({ progress, isFetched: bytes_total === null && bytes_done === 0 });
  return (fraction - VERIFIED) / (1 - VERIFIED);
}

/** Progress of RAUC. */
function installed({ progress, isFetched }: { progress: number; isFetched: boolean }): number {
  return isFetched ? progress : Math.max(0, (progress - ARRIVED) / (1 - ARRIVED));
}

/**
 * All steps, of which one is the present one.
 * @param at undefined if all are done
 * @param state of the present one
 */
export function stepsAt(at: StepName | undefined, state: 'running' | 'failed' | 'open'): StepState[] {
  const position = at === undefined ? STEPS.length : STEPS.indexOf(at);
  return STEPS.map((name, index) => ({
    name,
    state: index < position ? 'done' : index === position ? state : 'open',
  }));
}
