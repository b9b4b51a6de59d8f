/** The browser's connection and process, and whether its page still responds. */
import { BROWSER_ENDED, crash } from './display-errors.ts';
import type { EventOf, Transition } from './keeper-state.ts';
import { countFailure, expectBrowser, fail, retryInNewBrowser } from './recovery.ts';
import { markUp, prepareBrowser, show, startStableTimer, stopStableTimer } from './showing.ts';
import { isPageOf } from './target.ts';

export function onStart(t: Transition, event: EventOf<'start'>): void {
  t.state.target = event.target;
  t.state.missing = event.missing;
  t.expectTarget();
  expectBrowser(t);
}

export function onConnected(t: Transition, { uri }: EventOf<'connected'>): void {
  const { state } = t;
  t.supersede();
  t.cancelTimer('unit');
  state.connection += 1;
  state.connected = true;
  state.foundUri = uri;
  t.expectTarget();
  prepareBrowser(t);
}

export function onPrepared(t: Transition): void {
  t.state.settings = 'sent';
  t.emit({ do: 'configure' });
}

export function onConfigured(t: Transition): void {
  const { state } = t;
  const { foundUri, target } = state;
  state.settings = 'taken';
  state.missedPongs = 0;
  t.setTimer('ping', t.config.timing.pingEveryMs);
  t.emit({ do: 'report_ready' });
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

/** Before the first settings are sent, the browser must not get any: it would open its files. */
export function onSettingsChanged(t: Transition): void {
  if (t.state.settings !== 'none') t.emit({ do: 'configure_again' });
}

export function onDisconnected(t: Transition): void {
  const { state } = t;
  const wasEnded = state.ending;
  t.supersede();
  t.cancelTimer('ping');
  stopStableTimer(t);
  state.connected = false;
  state.settings = 'none';
  state.ending = false;
  state.ownPage = undefined;
  state.navigatedTo = undefined;
  t.expectTarget();
  if (!wasEnded) countFailure(t, BROWSER_ENDED);
  expectBrowser(t);
}

export function onPageGone(t: Transition, { reason }: EventOf<'page_gone'>): void {
  t.state.ownPage = undefined;
  t.state.foundUri = null;
  // Only we terminate pages, and continue when the browser has confirmed it. One that is not ready yet gets the target
  // when it is.
  if (reason !== 'terminated' && t.isReady) fail(t, 'crash', crash(reason));
}

export function onPong(t: Transition, { answered }: EventOf<'pong'>): void {
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
