import type { Static } from 'typebox';
import type { FleetState, Problem } from './fleet-state.ts';
import type { HawkbitStatus } from './schema.ts';

export type FleetStatus = Static<typeof HawkbitStatus>;

/** Failures in a row that health reports. */
const FAILURES_IN_HEALTH = 3;

export const STATUS_WHEN_OFF: FleetStatus = {
  enabled: false,
  connected: false,
  last_poll_ts: null,
  next_poll_ts: null,
  error: null,
  action: null,
};

/** @param polls when the last poll was answered, and when the next request is made, as timestamps */
export function statusOf(
  state: Readonly<FleetState>,
  polls: { last: string | null; next: string | null },
  storageProblem: string | undefined,
): FleetStatus {
  const { connected, serverProblem, updaterProblem, action, result, progress } = state;
  const storage: Problem | undefined =
    storageProblem === undefined ? undefined : { code: 'storage', message: storageProblem };
  const error = storage ?? updaterProblem ?? serverProblem ?? null;
  const undelivered = result && !result.delivered ? result : undefined;
  return {
    enabled: true,
    connected,
    last_poll_ts: polls.last,
    next_poll_ts: polls.next,
    error: error && { code: error.code, message: error.message },
    action: action
      ? { id: action.id, version: action.version, phase: action.phase, progress }
      : undelivered
        ? { id: undelivered.id, version: undelivered.version, phase: 'reporting', progress: 1 }
        : null,
  };
}

/** What an operator should know, as sentences. */
export function problemsOf(
  { serverProblem, updaterProblem, failures, attempts }: Readonly<FleetState>,
  storageProblem: string | undefined,
): string[] {
  const problems: string[] = [];
  if (storageProblem !== undefined) {
    problems.push(`The fleet client cannot store its state: ${storageProblem}.`);
  }
  if (serverProblem && failures >= FAILURES_IN_HEALTH) {
    problems.push(`The fleet server cannot be used: ${serverProblem.message}`);
  }
  if (updaterProblem && attempts >= FAILURES_IN_HEALTH) {
    problems.push(`The update of the fleet server is not installed yet: ${updaterProblem.message}`);
  }
  return problems;
}
