/**
 * A change that can make the screen unreadable: it is taken back unless somebody confirms that the screen can be read.
 * What takes effect only after a restart is asked about after it. Pure.
 */

/** How long the user has to confirm, in ms. */
export const CONFIRM_MS = 15_000;
/** How long the device may take to go down after it was told to restart, in ms. */
export const LEAVE_MS = 60_000;
/** How long a restarted device may take to show something before the user is asked nevertheless, in ms. */
export const SHOW_MS = 60_000;
/** Pause before the earlier values are sent again, in ms. */
export const RETRY_MS = 5000;

/** A part of the configuration's group `display`, as a merge patch. */
export type ConfigPart = Readonly<Record<string, unknown>>;

export interface Change {
  readonly tried: ConfigPart;
  /** Sets the same fields to their values from before. */
  readonly earlier: ConfigPart;
}

/**
 * Why a change was taken back: by the user, without an answer in time, by a lost connection, since the page was left, or
 * since the device did not restart.
 */
export type UndoReason = 'asked' | 'late' | 'lost' | 'left' | 'no_restart';

/** How a change has ended; `refused` if the device did not accept it. */
export type Outcome = 'kept' | 'refused' | UndoReason;

export type TrialState =
  | { readonly phase: 'idle'; readonly outcome: Outcome | undefined }
  /** The change was sent, and the device has not answered. */
  | { readonly phase: 'applying'; readonly change: Change }
  /** It takes effect after a restart, which the user has not allowed yet. */
  | { readonly phase: 'stored'; readonly change: Change }
  | {
      readonly phase: 'restarting';
      readonly change: Change;
      readonly since: number;
      /** The device was asked to restart, has accepted it, or has gone down. */
      readonly reached: 'asked' | 'accepted' | 'down';
    }
  /** The device is back, and its screen perhaps not yet. */
  | { readonly phase: 'starting'; readonly change: Change; readonly since: number }
  /** The change is in effect, and the user is asked. */
  | {
      readonly phase: 'asking';
      readonly change: Change;
      readonly since: number;
      readonly isRestarted: boolean;
    }
  | {
      readonly phase: 'undoing';
      readonly change: Change;
      readonly reason: UndoReason;
      /** The earlier values, too, need a restart. */
      readonly needsRestart: boolean;
      /** They were sent, and the device has not answered. */
      readonly isSending: boolean;
      /** When they are sent next, if the connection does not come back before, in ms. */
      readonly retryAt: number;
    }
  /** The earlier values are stored, and the device restarts to use them. */
  | {
      readonly phase: 'returning';
      readonly change: Change;
      readonly reason: UndoReason;
      readonly since: number;
      readonly isDown: boolean;
    };

export type TrialEvent =
  | { readonly type: 'start'; readonly change: Change }
  | { readonly type: 'applied'; readonly needsRestart: boolean }
  | {
      /**
       * `refused`: nothing was changed. `unanswered`: perhaps something was. `restart`: the user allows it. `shown`: the
       * restarted device shows something. `close`: the user undoes it or closes the dialog. `left`: the page is left.
       */
      readonly type:
        | 'refused'
        | 'unanswered'
        | 'restart'
        | 'restart_accepted'
        | 'restart_refused'
        | 'shown'
        | 'keep'
        | 'close'
        | 'left'
        | 'lost'
        | 'connected'
        | 'undone'
        | 'undo_failed'
        | 'tick';
    };

/** What the driver has to do; `watch`: it tells when the restarted device shows something. */
export type TrialEffect = 'apply' | 'restart' | 'watch' | 'undo' | 'undo_and_restart';

type Step = [TrialState, TrialEffect?];
type In<P extends TrialState['phase']> = Extract<TrialState, { phase: P }>;

export const IDLE: TrialState = { phase: 'idle', outcome: undefined };

/** The state after an event at the time `now` in ms, and what to do. */
export function step(state: TrialState, event: TrialEvent, now: number): Step {
  switch (state.phase) {
    case 'idle':
      return event.type === 'start' ? [{ phase: 'applying', change: event.change }, 'apply'] : [state];
    case 'applying':
      return applying(state, event, now);
    case 'stored':
      return stored(state, event, now);
    case 'restarting':
      return restarting(state, event, now);
    case 'starting':
      return starting(state, event, now);
    case 'asking':
      return asking(state, event, now);
    case 'undoing':
      return undoing(state, event, now);
    case 'returning':
      return returning(state, event, now);
  }
}

function applying(state: In<'applying'>, event: TrialEvent, now: number): Step {
  const { change } = state;
  switch (event.type) {
    case 'applied':
      return event.needsRestart
        ? [{ phase: 'stored', change }]
        : [{ phase: 'asking', change, since: now, isRestarted: false }];
    case 'refused':
      return [{ phase: 'idle', outcome: 'refused' }];
    case 'unanswered':
    case 'lost':
      return [undoLater(change, 'lost', false, now)];
    case 'left':
      return [undoLater(change, 'left', false, now)];
    default:
      return [state];
  }
}

function stored(state: In<'stored'>, event: TrialEvent, now: number): Step {
  const { change } = state;
  switch (event.type) {
    case 'restart':
      return [{ phase: 'restarting', change, since: now, reached: 'asked' }, 'restart'];
    case 'close':
      return send(undoLater(change, 'asked', false, now));
    case 'lost':
    case 'left':
      return [undoLater(change, event.type, false, now)];
    default:
      return [state];
  }
}

function restarting(state: In<'restarting'>, event: TrialEvent, now: number): Step {
  const { change, reached, since } = state;
  switch (event.type) {
    case 'restart_accepted':
      return [{ ...state, reached: 'accepted' }];
    case 'restart_refused':
      return [{ phase: 'stored', change }];
    case 'lost':
    case 'unanswered':
      // Without its answer, nobody knows whether it has restarted when it is back.
      if (reached === 'asked') return [undoLater(change, 'lost', true, now)];
      return [{ ...state, reached: 'down' }];
    case 'connected':
      return reached === 'down' ? [{ phase: 'starting', change, since: now }, 'watch'] : [state];
    case 'tick':
      if (reached === 'down' || now - since < LEAVE_MS) return [state];
      // It may still do so.
      return send(undoLater(change, 'no_restart', true, now));
    default:
      return [state];
  }
}

function starting(state: In<'starting'>, event: TrialEvent, now: number): Step {
  const { change, since } = state;
  if (event.type === 'lost') return [{ phase: 'restarting', change, since, reached: 'down' }];
  const isTime = event.type === 'tick' && now - since >= SHOW_MS;
  return event.type === 'shown' || isTime
    ? [{ phase: 'asking', change, since: now, isRestarted: true }]
    : [state];
}

function asking(state: In<'asking'>, event: TrialEvent, now: number): Step {
  const { change, since, isRestarted } = state;
  switch (event.type) {
    case 'keep':
      return [{ phase: 'idle', outcome: 'kept' }];
    case 'close':
      return send(undoLater(change, 'asked', isRestarted, now));
    case 'lost':
    case 'left':
      return [undoLater(change, event.type, isRestarted, now)];
    case 'tick':
      return now - since >= CONFIRM_MS ? send(undoLater(change, 'late', isRestarted, now)) : [state];
    default:
      return [state];
  }
}

function undoing(state: In<'undoing'>, event: TrialEvent, now: number): Step {
  const { isSending, retryAt, reason, change, needsRestart } = state;
  switch (event.type) {
    case 'undone':
      if (!needsRestart) return [{ phase: 'idle', outcome: reason }];
      return [{ phase: 'returning', change, reason, since: now, isDown: false }];
    case 'undo_failed':
      return [{ ...state, isSending: false, retryAt: now + RETRY_MS }];
    case 'connected':
    case 'close':
      return isSending ? [state] : send(state);
    case 'tick':
      return isSending || now < retryAt ? [state] : send(state);
    default:
      return [state];
  }
}

function returning(state: In<'returning'>, event: TrialEvent, now: number): Step {
  const { isDown, since, reason } = state;
  if (event.type === 'lost') return [{ ...state, isDown: true }];
  const isBack = event.type === 'connected' && isDown;
  const isUseless = event.type === 'tick' && !isDown && now - since >= LEAVE_MS;
  return isBack || isUseless ? [{ phase: 'idle', outcome: reason }] : [state];
}

/** Takes the change back as soon as there is a connection. */
export function undoLater(
  change: Change,
  reason: UndoReason,
  needsRestart: boolean,
  now: number,
): In<'undoing'> {
  return { phase: 'undoing', change, reason, needsRestart, isSending: false, retryAt: now + RETRY_MS };
}

function send(state: In<'undoing'>): Step {
  return [{ ...state, isSending: true }, state.needsRestart ? 'undo_and_restart' : 'undo'];
}
