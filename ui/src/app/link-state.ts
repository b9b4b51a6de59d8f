/** When to connect to the device, when to ask whether it is still there, and when to give a connection up. Pure. */

/** Why the device is expected to go away. */
export type Absence = 'reboot' | 'update' | 'reset' | 'shutdown';

export interface LinkState {
  /** `waiting`: until the next attempt. */
  readonly phase: 'connecting' | 'online' | 'waiting';
  /** Since when there is no connection, in ms; undefined while there is one, and before the first one. */
  readonly lostAt: number | undefined;
  /** Attempts since the connection was lost. */
  readonly attempts: number;
  /** When the next attempt is due, in ms; in phase `waiting`. */
  readonly retryAt: number;
  /** When the last frame arrived, in ms. */
  readonly heardAt: number;
  /** When the device was asked for a frame, in ms; undefined if it has answered. */
  readonly probedAt: number | undefined;
  readonly absence: { readonly kind: Absence; readonly since: number } | undefined;
}

/** What has happened. `tick` comes about once a second, `wake` when there is a reason to try at once. */
export type LinkEvent =
  | { readonly type: 'opened' | 'heard' | 'ended' | 'tick' | 'wake' }
  /** Undefined: it stays, after all. */
  | { readonly type: 'expect'; readonly absence: Absence | undefined };

/** What the driver has to do. `drop` ends the connection; no `ended` follows for it. */
export type LinkEffect = 'connect' | 'probe' | 'drop';

/** Silence after which the device is asked for a frame, in ms. Health is sent every 5 s by default. */
export const SILENCE_MS = 8000;
/** How long it may take to answer, in ms: more than a slow network needs. */
export const ANSWER_MS = 8000;
/** Delays before attempts, in ms. */
const DELAYS_MS = [500, 1000, 2000, 4000, 5000];
/** An announced absence that has not begun after this time does not explain a later one, in ms. */
const ABSENCE_MS = 10 * 60_000;

export const START: LinkState = {
  phase: 'connecting',
  lostAt: undefined,
  attempts: 0,
  retryAt: 0,
  heardAt: 0,
  probedAt: undefined,
  absence: undefined,
};

/**
 * The state after an event at the time `now` in ms, and what to do.
 * The first connection begins with {@link START} and the effect `connect`.
 */
export function step(state: LinkState, event: LinkEvent, now: number): [LinkState, LinkEffect?] {
  switch (event.type) {
    case 'opened':
      return [{ ...START, phase: 'online', heardAt: now }];
    case 'heard':
      return [{ ...state, heardAt: now, probedAt: undefined }];
    case 'ended':
      return [lost(state, now)];
    case 'expect':
      return [{ ...state, absence: event.absence && { kind: event.absence, since: now } }];
    case 'wake':
      return state.phase === 'waiting' ? attempt(state) : [state];
    case 'tick':
      if (state.phase === 'waiting') return now >= state.retryAt ? attempt(state) : [state];
      return state.phase === 'online' ? check(state, now) : [state];
  }
}

function attempt(state: LinkState): [LinkState, LinkEffect] {
  return [{ ...state, phase: 'connecting', attempts: state.attempts + 1 }, 'connect'];
}

function lost(state: LinkState, now: number): LinkState {
  if (state.phase === 'waiting') return state;
  const delay = DELAYS_MS[Math.min(state.attempts, DELAYS_MS.length - 1)] ?? 0;
  const lostAt = state.lostAt ?? now;
  return { ...state, phase: 'waiting', lostAt, retryAt: now + delay, probedAt: undefined };
}

/** A silent connection is asked before it is given up: a computer that has slept has heard nothing meanwhile. */
function check(state: LinkState, now: number): [LinkState, LinkEffect?] {
  const { probedAt, heardAt, absence } = state;
  if (probedAt !== undefined) return now - probedAt >= ANSWER_MS ? [lost(state, now), 'drop'] : [state];
  if (now - heardAt >= SILENCE_MS) return [{ ...state, probedAt: now }, 'probe'];
  if (absence && now - absence.since >= ABSENCE_MS) return [{ ...state, absence: undefined }];
  return [state];
}
