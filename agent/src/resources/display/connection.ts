/** The browser's connection and process, and whether its page still responds. */
import { BROWSER_ENDED, crash } from './display-errors.ts';
import type { KeeperState, Transition } from './keeper-state.ts';
import type { BrowserEventOf, Target } from './ports.ts';
import { countFailure, expectBrowser, fail, retryInNewBrowser } from './recovery.ts';
import { markUp, show, startStableTimer, stopStableTimer } from './showing.ts';
import { isPageOf } from './target.ts';

export function onStart(t: Transition, target: Target, missing: KeeperState['missing']): void {
  t.state.target = target;
  t.state.missing = missing;
  t.expectTarget();
  expectBrowser(t);
}

export function onConnected(t: Transition, uri: string | null): void {
  const { state } = t;
  t.supersede();
  t.cancelTimer('unit');
  state.connection += 1;
  state.connected = true;
  state.configured = false;
  state.ending = false;
  state.foundUri = uri;
  t.expectTarget();
  t.emit({ do: 'prepare_browser' });
}

export function onConfigured(t: Transition): void {
  const { state } = t;
  const { foundUri, target } = state;
  state.configured = true;
  state.missedPongs = 0;
  t.setTimer('ping', t.config.timing.pingEveryMs);
  t.emit({ do: 'report_ready' });
  if (state.reconfigure) t.emit({ do: 'configure_again' });
  if (state.ending) return;
  const isFound = foundUri !== null && isPageOf(foundUri, target, t.config.bundleUrl);
  if (isFound && target.mode !== 'waiting') {
    // The agent was away, not the page: leave the page alone.
    t.emit({ do: 'report_first_frame' });
    markUp(t);
  } else if (state.failures > 1) {
    state.error ??= BROWSER_ENDED;
    retryInNewBrowser(t);
  } else show(t);
}

/** Not before the browser has its first settings: those are read only when it may open its files. */
export function onSettingsChanged(t: Transition): void {
  if (t.state.configured) t.emit({ do: 'configure_again' });
  else t.state.reconfigure = true;
}

export function onDisconnected(t: Transition): void {
  const { state } = t;
  const wasEnded = state.ending;
  t.supersede();
  t.cancelTimer('ping');
  stopStableTimer(t);
  state.connected = false;
  state.configured = false;
  state.ending = false;
  state.ownPage = undefined;
  state.navigatedTo = undefined;
  t.expectTarget();
  if (!wasEnded) countFailure(t, BROWSER_ENDED);
  expectBrowser(t);
}

export function onPageGone(t: Transition, reason: BrowserEventOf<'page_gone'>['reason']): void {
  t.state.ownPage = undefined;
  // Only we terminate pages, and continue when the browser has confirmed it.
  if (reason !== 'terminated' && !t.state.ending) fail(t, 'crash', crash(reason));
}

export function onPong(t: Transition, answered: boolean): void {
  const { state } = t;
  const { pingEveryMs, misses } = t.config.timing;
  t.setTimer('ping', pingEveryMs);
  if (answered) {
    state.missedPongs = 0;
    if (state.load.stage === 'committed' && !state.loading) startStableTimer(t);
    return;
  }
  stopStableTimer(t);
  state.missedPongs += 1;
  if (state.missedPongs < misses || state.ending) return;
  state.missedPongs = 0;
  t.emit({ do: 'terminate_page', next: 'failure' });
}
