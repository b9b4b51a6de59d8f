import type { DdiRequest, FleetState, Problem } from './fleet-state.ts';
import type { FleetStatus } from './schema.ts';

/** Failures in a row that health reports. */
const FAILURES_IN_HEALTH = 3;

/** What an operator is told about a request that fails again and again; the most important one first. */
const FAILING: readonly (readonly [kind: DdiRequest['kind'], text: string])[] = [
  ['poll', 'The fleet server cannot be used'],
  ['read_deployment', 'The fleet server does not say what to install'],
  ['read_cancel', 'The fleet server does not say what to cancel'],
  ['send_result', 'The fleet server does not take the result of an update'],
  ['send_cancel_reply', 'The fleet server does not take the answer to a cancellation'],
  ['send_attributes', "The fleet server does not take this device's attributes"],
];

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
  const { connected, updaterProblem, action, result, progress } = state;
  const storage: Problem | undefined =
    storageProblem === undefined ? undefined : { code: 'storage', message: storageProblem };
  const error = storage ?? updaterProblem ?? failingOf(state)[0]?.problem ?? null;
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
export function problemsOf(state: Readonly<FleetState>, storageProblem: string | undefined): string[] {
  const { updaterProblem, attempts } = state;
  const problems: string[] = [];
  if (storageProblem !== undefined) {
    problems.push(`The fleet client cannot store its state: ${storageProblem}.`);
  }
  for (const { text, count, problem } of failingOf(state)) {
    if (count >= FAILURES_IN_HEALTH) problems.push(`${text}: ${problem.message}`);
  }
  if (updaterProblem && attempts >= FAILURES_IN_HEALTH) {
    problems.push(`The update of the fleet server is not installed yet: ${updaterProblem.message}`);
  }
  return problems;
}

function failingOf({ failing }: Readonly<FleetState>) {
  return FAILING.flatMap(([kind, text]) => {
    const found = failing[kind];
    return found ? [{ text, ...found }] : [];
  });
}
