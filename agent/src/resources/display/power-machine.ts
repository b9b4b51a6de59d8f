/**
 * Switching a television on and off and reading back whether it did. Televisions take seconds, answer late, ignore
 * commands, or report the old power for a while.
 */
import type { Machine } from '../../base/machine.ts';
import type { TelevisionPower, TelevisionReport } from './ports.ts';

/** A command is sent again after this time, in ms. */
export const RESEND_MS = 8000;
/** The television is given up after this time, in ms. */
export const GIVE_UP_MS = 30_000;
/** So many equal readings in a row confirm a switch. */
const CONFIRMATIONS = 2;
/** So many questions without an answer make the power unknown. */
const MISSES = 3;

interface Request {
  on: boolean;
  since: number;
  sentAt: number;
  confirmations: number;
}

export interface PowerState {
  /** The last report; undefined before the first. */
  report: TelevisionReport | undefined;
  /** The measured power; null when it is unknown. */
  power: TelevisionPower | null;
  /** Questions without an answer since the last answer. */
  misses: number;
  /** What was asked for and is not confirmed yet. */
  request: Request | undefined;
  /** The last request was not followed. */
  failure: { on: boolean; reports: string } | undefined;
}

export type PowerEvent =
  /** The command was sent. */
  | { event: 'requested'; on: boolean; at: number }
  | { event: 'reported'; report: TelevisionReport; at: number };

export const INITIAL_POWER: PowerState = {
  report: undefined,
  power: null,
  misses: 0,
  request: undefined,
  failure: undefined,
};

/** The command is to be sent again. */
export interface PowerEffect {
  do: 'switch';
  on: boolean;
}

export const powerMachine: Machine<PowerState, PowerEvent, PowerEffect> = (before, event) => {
  if (event.event === 'requested') {
    const { on, at } = event;
    const request = { on, since: at, sentAt: at, confirmations: 0 };
    return { state: { ...before, request, failure: undefined }, effects: [] };
  }
  const state = measured(before, event.report);
  const { request, failure, power } = state;
  if (!request) {
    const isFollowed = failure && isAsAsked(state, failure.on);
    return { state: isFollowed ? { ...state, failure: undefined } : state, effects: [] };
  }
  const { on, since, sentAt } = request;
  if (isAsAsked(state, on)) {
    const confirmations = request.confirmations + 1;
    const isConfirmed = confirmations >= CONFIRMATIONS;
    return {
      state: { ...state, request: isConfirmed ? undefined : { ...request, confirmations } },
      effects: [],
    };
  }
  if (event.at - since >= GIVE_UP_MS) {
    return {
      state: { ...state, request: undefined, failure: { on, reports: describe(state) } },
      effects: [],
    };
  }
  const isMoving = power === (on ? 'to_on' : 'to_standby');
  const isSentAgain = !isMoving && event.at - sentAt >= RESEND_MS;
  const waiting = { ...request, confirmations: 0, sentAt: isSentAgain ? event.at : sentAt };
  return { state: { ...state, request: waiting }, effects: isSentAgain ? [{ do: 'switch', on }] : [] };
};

/** Whether the picture is visible, as far as the television says; undefined when it does not say. */
export function isVisible({ power }: PowerState): boolean | undefined {
  return power === null ? undefined : power === 'on';
}

function measured(state: PowerState, report: TelevisionReport): PowerState {
  // Without an adapter no request can be confirmed: drop it.
  if (report.state === 'no_cec') return { ...INITIAL_POWER, report };
  if (report.state !== 'plugged') return { ...state, report, power: null, misses: 0 };
  if (report.power !== null) {
    return { ...state, report, power: report.power, misses: 0 };
  }
  // One lost answer says nothing.
  const misses = state.misses + 1;
  return { ...state, report, misses, power: misses >= MISSES ? null : state.power };
}

/** The last report confirms it. A television that looks unplugged in standby is off. */
function isAsAsked({ report }: PowerState, on: boolean): boolean {
  if (report?.state === 'plugged') return report.power === (on ? 'on' : 'standby');
  return report?.state === 'unplugged' && !on;
}

function describe({ report }: PowerState): string {
  if (report?.state !== 'plugged') return 'is not connected';
  return report.power === null ? 'does not answer' : `reports ${report.power}`;
}
