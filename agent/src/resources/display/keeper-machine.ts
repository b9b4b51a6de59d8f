/**
 * The rules that keep the target on the screen, as a pure function: no time, no input or output. `Keeper` carries out
 * the effects and reports their results as events.
 */
import { onLoad, onLoadFailed, onLoadTimer } from './browser-loads.ts';
import {
  onConfigured,
  onConnected,
  onDisconnected,
  onPageGone,
  onPong,
  onSettingsChanged,
  onStart,
} from './connection.ts';
import { AWAY, UNRESPONSIVE } from './display-errors.ts';
import {
  type Effect,
  type KeeperConfig,
  type KeeperEvent,
  type KeeperState,
  type TimerName,
  Transition,
} from './keeper-state.ts';
import { onBundleArrived, onOwnPageChanged, onRendered } from './own-page.ts';
import type { Target } from './ports.ts';
import {
  fail,
  onCommandFailed,
  onQuitFailed,
  onRetryTimer,
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
  handle(transition, event);
  return transition;
}

/** What is wrong, as the display's state tells it. */
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

function handle(t: Transition, event: KeeperEvent): void {
  switch (event.event) {
    case 'start':
      onStart(t, event.target, event.missing);
      break;
    case 'connected':
      onConnected(t, event.uri);
      break;
    case 'prepared':
      t.state.reconfigure = false;
      t.emit({ do: 'configure' });
      break;
    case 'configured':
      onConfigured(t);
      break;
    case 'settings_changed':
      onSettingsChanged(t);
      break;
    case 'disconnected':
      onDisconnected(t);
      break;
    case 'show_target':
      onShowTarget(t, event.target);
      break;
    case 'reload':
      onReload(t);
      break;
    case 'restart_browser':
      beginRequest(t);
      restart(t, event.stage);
      break;
    case 'load_sent':
      // Of the target's load; a notice is not followed.
      if (t.state.load.stage === 'requested') t.state.load = { stage: 'requested', id: event.id };
      break;
    case 'load':
      onLoad(t, event);
      break;
    case 'load_failed':
      onLoadFailed(t, event);
      break;
    case 'painted':
      t.emit({ do: 'report_first_frame' });
      break;
    case 'page_gone':
      onPageGone(t, event.reason);
      break;
    case 'page_terminated':
      if (event.next === 'load') show(t);
      else fail(t, 'crash', UNRESPONSIVE);
      break;
    case 'pong':
      onPong(t, event.answered);
      break;
    case 'own_page_changed':
      onOwnPageChanged(t);
      break;
    case 'bundle_arrived':
      onBundleArrived(t, event.name, event.problem);
      break;
    case 'rendered':
      onRendered(t, event.html);
      break;
    case 'command_failed':
      onCommandFailed(t, event.reason);
      break;
    case 'quit_failed':
      onQuitFailed(t, event.reason);
      break;
    case 'unit_restart_failed':
      onUnitRestartFailed(t);
      break;
    case 'timer':
      onTimer(t, event.timer);
      break;
    default:
      unknown(event);
  }
}

function onTimer(t: Transition, timer: TimerName): void {
  switch (timer) {
    case 'retry':
      onRetryTimer(t);
      break;
    case 'load':
      onLoadTimer(t);
      break;
    case 'unit':
      onUnitTimer(t);
      break;
    case 'ping':
      t.emit({ do: 'ping' });
      break;
    case 'stable':
      t.state.failures = 0;
      break;
    default:
      unknown(timer);
  }
}

function unknown(event: never): never {
  throw new Error(`unknown event ${JSON.stringify(event)}`);
}

/** A host asked for something: earlier failures do not count any more. */
function beginRequest(t: Transition): void {
  stopStableTimer(t);
  t.state.failures = 0;
  t.state.error = null;
  t.state.terminatedForLoad = false;
  t.expectTarget();
}

function onShowTarget(t: Transition, target: Target): void {
  t.state.target = target;
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
