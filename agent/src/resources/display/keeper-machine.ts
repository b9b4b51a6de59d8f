/**
 * The rules that keep the target on the screen, as a pure function: no time, no input or output. `Keeper` carries out
 * the effects and reports their results as events.
 */
import type { Machine } from '../../base/machine.ts';
import { FROZEN, onLoad, onLoadFailed, onLoadSent, onLoadTimer } from './browser-loads.ts';
import type {
  EventOf,
  KeeperConfig,
  KeeperEffect,
  KeeperEvent,
  KeeperState,
  TimerName,
} from './keeper-state.ts';
import { KeeperTransition } from './keeper-transition.ts';
import type { DisplayError } from './schema.ts';
import { isPageOf } from './target.ts';

/** The longest delay between restarts of the unit, as a multiple of the first. */
const MAX_UNIT_DELAY_FACTOR = 16;

const NO_BROWSER: DisplayError = {
  code: 'browser_unavailable',
  message: 'The browser is not running; the target is shown as soon as it is.',
};
const BROWSER_ENDED: DisplayError = {
  code: 'page_crashed',
  message: 'The browser ended while it showed the page.',
};

export type KeeperMachine = Machine<Readonly<KeeperState>, KeeperEvent, KeeperEffect>;

export function keeperMachine(config: KeeperConfig): KeeperMachine {
  return (before, event) => {
    if (isOutdated(before, event)) return { state: before, effects: [] };
    const transition = new KeeperTransition(config, before);
    handle(transition, event.event, event);
    return transition;
  };
}

/** The error in the display's state. */
export function visibleError({ connected, error, missing }: Readonly<KeeperState>): DisplayError | null {
  if (!connected) return NO_BROWSER;
  return error ?? (missing ? { code: missing.code, message: missing.message } : null);
}

/** Whether an event answers something that was asked of an earlier connection, or before a newer decision. */
function isOutdated(state: Readonly<KeeperState>, event: KeeperEvent): boolean {
  if ('connection' in event) return !state.connected || event.connection !== state.connection;
  return 'generation' in event && event.generation !== state.generation;
}

/** The type demands a handler for every kind of event. */
const HANDLERS: { readonly [K in KeeperEvent['event']]: (t: KeeperTransition, event: EventOf<K>) => void } = {
  start: (t, { target, missing }) => {
    t.state.target = target;
    t.state.missing = missing;
    t.expectTarget();
    t.expectBrowser();
  },
  /** Nothing is pending: `disconnected` comes before another connection, and without one no browser is asked for anything. */
  connected: (t, { uri }) => {
    t.cancelTimer('unit');
    t.state.connection += 1;
    t.state.connected = true;
    t.state.foundUri = uri;
    t.state.hasDocument = uri !== null;
    t.expectTarget();
    t.configure();
  },
  configured: (t) => {
    const { state } = t;
    const { foundUri, target, failures } = state;
    state.settings = 'taken';
    state.missedPongs = 0;
    t.setTimer('ping', t.config.timing.pingEveryMs);
    t.setTimer('frame', t.config.timing.frameEveryMs);
    const isFound = foundUri !== null && isPageOf(foundUri, target);
    if (isFound && target.mode !== 'waiting') {
      // The agent was away, not the page: leave the page alone.
      state.error = null;
      t.emit({ do: 'report_first_frame' });
      t.markUp();
    } else if (failures > 1) {
      state.error ??= BROWSER_ENDED;
      // The browser is new: no other one is needed.
      t.planRetry({ ...t.config.timing.step(failures, 'crash'), stage: 'page' });
    } else t.show();
  },
  disconnected: (t) => {
    const { state } = t;
    const wasEnded = state.ending;
    t.supersede();
    t.cancelTimer('ping');
    t.cancelTimer('frame');
    t.stopStableTimer();
    state.connected = false;
    state.settings = 'none';
    state.ending = false;
    state.ownPage = undefined;
    state.navigatedTo = undefined;
    t.expectTarget();
    if (!wasEnded) t.countFailure(BROWSER_ENDED);
    t.expectBrowser();
  },
  show_target: (t, { target }) => {
    t.state.target = target;
    t.state.missing = undefined;
    t.state.navigatedTo = undefined;
    beginRequest(t);
    t.show();
  },
  /** In place, past the cache, when the page is there; a target that is not there is loaded. */
  reload: (t) => {
    const { load, loading, error, target } = t.state;
    const isThere = load.stage === 'committed' && !loading && error === null;
    beginRequest(t);
    if (isThere && target.mode !== 'waiting') {
      t.supersede();
      t.emit({ do: 'reload' });
      t.followLoad();
    } else {
      t.state.navigatedTo = undefined;
      t.show();
    }
  },
  restart_browser: (t, { stage }) => {
    beginRequest(t);
    t.restart(stage);
  },
  load_sent: onLoadSent,
  load: onLoad,
  load_failed: onLoadFailed,
  moved: (t, { uri }) => {
    if (t.state.load.stage === 'committed') t.state.navigatedTo = uri;
  },
  painted: (t) => {
    t.emit({ do: 'report_first_frame' });
    clearFrozen(t);
  },
  page_gone: (t, { reason }) => {
    t.state.ownPage = undefined;
    t.state.foundUri = null;
    t.state.hasDocument = false;
    // Only we terminate pages, and continue when the browser has confirmed it. A browser that is not ready yet gets the
    // target when it is.
    if (reason === 'terminated' || !t.isReady) return;
    if (reason === 'memory') t.fail('crash', 'page_out_of_memory', 'The page used more memory than it may.');
    else t.fail('crash', 'page_crashed', 'The page crashed.');
  },
  page_terminated: (t, { next }) => {
    t.state.hasDocument = false; // its `page_gone` comes after this answer
    if (next === 'load') t.show();
    else if (next === 'frozen') t.fail('crash', FROZEN.code, FROZEN.message);
    else t.fail('crash', 'page_unresponsive', 'The page stopped responding.');
  },
  pong: (t, { answered }) => {
    const { state } = t;
    const { pingEveryMs, misses } = t.config.timing;
    if (answered) {
      t.setTimer('ping', pingEveryMs);
      state.missedPongs = 0;
      if (state.load.stage === 'committed' && !state.loading) t.startStableTimer();
      return;
    }
    t.stopStableTimer();
    state.missedPongs += 1;
    // A process that is being started cannot answer yet. Its time limit is that of the load.
    if (state.hasDocument && state.missedPongs < misses) {
      t.emit({ do: 'ping' });
      return;
    }
    t.setTimer('ping', pingEveryMs);
    if (!state.hasDocument) return;
    state.missedPongs = 0;
    if (!state.ending) t.terminateBroken('unresponsive');
  },
  frames_checked: onFramesChecked,
  own_page_changed: onOwnPageChanged,
  /** A bundle that the waiting page reports as missing was stored. */
  bundle_arrived: (t, { name }) => {
    if (t.state.missing?.name !== name) return;
    t.state.missing = undefined;
    onOwnPageChanged(t);
  },
  rendered: (t, { html }) => {
    const { state } = t;
    const { rendering } = state;
    if (!rendering) return;
    const isTarget = rendering.purpose === 'target';
    state.rendering = undefined;
    if (rendering.outdated) t.renderOwnPage(rendering.purpose);
    else if (html !== undefined && (isTarget || html !== state.ownPage?.html)) {
      state.ownPage = { html, shown: false };
      t.emit({ do: 'load_own_page', html });
      if (isTarget || state.load.stage !== 'none') t.followLoad();
    } else if (isTarget) t.fail('load', 'load_failed', 'The waiting page cannot be read.');
  },
  /** A connected browser that does not take commands has to be restarted. */
  command_failed: (t, { reason }) => {
    if (t.state.settings !== 'taken') t.state.settings = 'failed';
    t.state.ownPage = undefined; // it may never have been shown
    if (t.state.ending) return;
    t.warn({ reason }, 'the browser does not take commands');
    t.restart('compositor');
  },
  quit_failed: (t, { reason }) => {
    t.warn({ reason }, 'the browser does not quit');
    t.emit({ do: 'restart_unit' });
  },
  /** The browser that was to end stays, and is used as it is. */
  unit_restart_failed: (t) => {
    t.state.ending = false;
    t.cancelTimer('unit');
    t.fail('crash', 'page_unresponsive', 'The browser could not be restarted.');
  },
  timer: (t, { timer }) => TIMER_HANDLERS[timer](t),
};

const TIMER_HANDLERS: { readonly [K in TimerName]: (t: KeeperTransition) => void } = {
  retry: (t) => {
    const { retryStage } = t.state;
    t.expectTarget();
    if (retryStage === 'page') t.show();
    else t.restart(retryStage);
  },
  load: onLoadTimer,
  stable: (t) => {
    t.state.failures = 0;
  },
  ping: (t) => t.emit({ do: 'ping' }),
  frame: (t) => {
    if (isUp(t)) t.emit({ do: 'check_frames' });
    else t.setTimer('frame', t.config.timing.frameAgainMs);
  },
  unit: (t) => {
    const { state } = t;
    t.warn({ after_ms: state.unitDelayMs }, 'no new browser; restarting its unit');
    t.emit({ do: 'restart_unit' });
    state.unitDelayMs = Math.min(state.unitDelayMs * 2, t.config.timing.awayMs * MAX_UNIT_DELAY_FACTOR);
    t.setTimer('unit', state.unitDelayMs);
  },
};

function handle<K extends KeeperEvent['event']>(t: KeeperTransition, kind: K, event: EventOf<K>): void {
  HANDLERS[kind](t, event);
}

/** The target's page is on the screen, complete, and its browser is to stay. */
function isUp({ state: { load, loading, ending } }: KeeperTransition): boolean {
  return load.stage === 'committed' && !loading && !ending;
}

/** Frames reach the screen again. */
function clearFrozen(t: KeeperTransition): void {
  const { state } = t;
  if (!state.frozen) return;
  state.frozen = false;
  if (state.load.stage === 'committed' && state.error === FROZEN) state.error = null;
  if (isUp(t)) t.startStableTimer();
}

function onFramesChecked(t: KeeperTransition, { result, during }: EventOf<'frames_checked'>): void {
  const { state } = t;
  const { frameEveryMs, frameAgainMs } = t.config.timing;
  const isFrozen = result === 'frozen' || result === 'compositor_frozen';
  t.setTimer('frame', isFrozen ? frameAgainMs : frameEveryMs);
  if (during !== state.generation || !isUp(t)) return;
  if (result === 'shown') clearFrozen(t);
  if (!isFrozen) return;
  state.frozen = true;
  t.stopStableTimer();
  if (result === 'frozen') t.terminateBroken('frozen');
  else {
    t.countFailure(FROZEN);
    t.restart('compositor');
  }
}

/** A request of a host: earlier failures are forgotten. */
function beginRequest(t: KeeperTransition): void {
  t.stopStableTimer();
  t.state.failures = 0;
  t.state.error = null;
  t.state.terminatedForLoad = false;
  t.expectTarget();
}

/** Renders our own page again if it is on the screen. It must not cancel the load of anything else. */
function onOwnPageChanged(t: KeeperTransition): void {
  const { state } = t;
  const isOwnLoad = state.target.mode === 'waiting' && state.load.stage !== 'none';
  if (state.rendering) state.rendering = { ...state.rendering, outdated: true };
  else if (state.ownPage !== undefined && (isOwnLoad || !state.loading)) t.renderOwnPage('refresh');
}
