/**
 * The rules that keep the target on the screen, as a pure function: no time, no input or output. `Keeper` carries out
 * the effects and reports their results as events.
 */
import { onLoad, onLoadFailed, onLoadSent, onLoadTimer } from './browser-loads.ts';
import {
  onConfigured,
  onConnected,
  onDisconnected,
  onPageGone,
  onPong,
  onPrepared,
  onSettingsChanged,
  onStart,
} from './connection.ts';
import { AWAY, UNRESPONSIVE } from './display-errors.ts';
import {
  type Effect,
  type EventKind,
  type EventOf,
  type KeeperConfig,
  type KeeperEvent,
  type KeeperState,
  type TimerName,
  Transition,
} from './keeper-state.ts';
import { onBundleArrived, onOwnPageChanged, onRendered } from './own-page.ts';
import {
  fail,
  onCommandFailed,
  onQuitFailed,
  onRetryTimer,
  onStableTimer,
  onUnitRestartFailed,
  onUnitTimer,
  restart,
} from './recovery.ts';
import type { DisplayError } from './schema.ts';
import { followLoad, show, stopStableTimer } from './showing.ts';

/** @returns the same state object when the event is out of date */
export function advance(
  config: KeeperConfig,
  before: Readonly<KeeperState>,
  event: KeeperEvent,
): { state: Readonly<KeeperState>; effects: readonly Effect[] } {
  if (isOutdated(before, event)) return { state: before, effects: [] };
  const transition = new Transition(config, before);
  handle(transition, event.event, event);
  return transition;
}

/** The error in the display's state. */
export function visibleError({ connected, error, missing }: Readonly<KeeperState>): DisplayError | null {
  if (!connected) return AWAY;
  if (error || !missing) return error;
  return { code: missing.code, message: missing.message };
}

/** Whether an event answers something that was asked of an earlier connection, or before a newer decision. */
function isOutdated(state: Readonly<KeeperState>, event: KeeperEvent): boolean {
  if ('connection' in event) return !state.connected || event.connection !== state.connection;
  return 'generation' in event && event.generation !== state.generation;
}

/** The type demands a handler for every kind of event. */
const HANDLERS: { readonly [K in EventKind]: (t: Transition, event: EventOf<K>) => void } = {
  start: onStart,
  connected: onConnected,
  prepared: onPrepared,
  configured: onConfigured,
  settings_changed: onSettingsChanged,
  disconnected: onDisconnected,
  show_target: onShowTarget,
  reload: onReload,
  restart_browser: onRestartBrowser,
  load_sent: onLoadSent,
  load: onLoad,
  load_failed: onLoadFailed,
  painted: (t) => t.emit({ do: 'report_first_frame' }),
  page_gone: onPageGone,
  page_terminated: onPageTerminated,
  pong: onPong,
  own_page_changed: onOwnPageChanged,
  bundle_arrived: onBundleArrived,
  rendered: onRendered,
  command_failed: onCommandFailed,
  quit_failed: onQuitFailed,
  unit_restart_failed: onUnitRestartFailed,
  timer: (t, { timer }) => TIMER_HANDLERS[timer](t),
};

const TIMER_HANDLERS: { readonly [K in TimerName]: (t: Transition) => void } = {
  retry: onRetryTimer,
  load: onLoadTimer,
  stable: onStableTimer,
  ping: (t) => t.emit({ do: 'ping' }),
  unit: onUnitTimer,
};

function handle<K extends EventKind>(t: Transition, kind: K, event: EventOf<K>): void {
  HANDLERS[kind](t, event);
}

/** A request of a host: earlier failures do not count any more. */
function beginRequest(t: Transition): void {
  stopStableTimer(t);
  t.state.failures = 0;
  t.state.error = null;
  t.state.terminatedForLoad = false;
  t.expectTarget();
}

function onShowTarget(t: Transition, event: EventOf<'show_target'>): void {
  t.state.target = event.target;
  t.state.missing = undefined;
  t.state.navigatedTo = undefined;
  beginRequest(t);
  show(t);
}

/** In place, past the cache, when the page is there; a target that is not there is loaded. */
function onReload(t: Transition): void {
  const { load, loading, error, target } = t.state;
  const isThere = load.stage === 'committed' && !loading && error === null;
  beginRequest(t);
  if (isThere && target.mode !== 'waiting') {
    t.supersede();
    t.emit({ do: 'reload' });
    followLoad(t);
  } else {
    t.state.navigatedTo = undefined;
    show(t);
  }
}

function onRestartBrowser(t: Transition, event: EventOf<'restart_browser'>): void {
  beginRequest(t);
  restart(t, event.stage);
}

function onPageTerminated(t: Transition, event: EventOf<'page_terminated'>): void {
  if (event.next === 'load') show(t);
  else fail(t, 'crash', UNRESPONSIVE);
}
