/** What the keeper's rules do: show the target or our own page, count failures, try again, restart the browser. */
import type { Transition } from './keeper-state.ts';
import type { DisplayError } from './schema.ts';
import { addressOf, noticeOf } from './target.ts';
import type { FailureKind, Stage, Step } from './timing.ts';

/** Loads the target, in place of everything that is under way. Without a ready browser it is loaded when one is. */
export function show(t: Transition): void {
  t.supersede();
  const { settings, ending, target, isOwnPageShown } = t.state;
  if (settings === 'failed' && !ending) configure(t);
  if (!t.isReady) return;
  const address = addressOf(target, t.config.bundleUrl);
  if (address === undefined) renderOwnPage(t, 'target');
  else {
    if (!isOwnPageShown) t.state.ownPage = undefined; // this load cancels it
    t.emit({ do: 'load', address });
    followLoad(t);
  }
}

/** Gives the browser its settings. It opens its files only then. */
export function configure(t: Transition): void {
  t.state.settings = 'none';
  t.emit({ do: 'configure' });
}

/** The load that was sent just now brings the target. */
export function followLoad(t: Transition): void {
  t.state.load = { stage: 'requested' };
  t.setTimer('load', t.config.timing.beginMs);
}

/** The waiting page, or the notice about the present error. */
export function renderOwnPage(t: Transition, purpose: 'target' | 'refresh'): void {
  if (!t.isReady) return;
  const { target, error, missing } = t.state;
  t.state.rendering = { purpose, outdated: false };
  t.emit({ do: 'render', notice: noticeOf(target, error, missing) });
}

/** The target's page is on the screen, as far as it will come. */
export function markUp(t: Transition): void {
  t.state.load = { ...t.state.load, stage: 'committed' };
  t.state.loading = false;
  t.cancelTimer('load');
  startStableTimer(t);
}

export function startStableTimer(t: Transition): void {
  if (t.state.stableStarted) return;
  t.state.stableStarted = true;
  t.setTimer('stable', t.config.timing.stableMs);
}

/** There may be trouble: the time until failures are forgotten starts again when the page is up or answers. */
export function stopStableTimer(t: Transition): void {
  t.state.stableStarted = false;
  t.cancelTimer('stable');
}

/** The target is not on the screen. It is tried again after a delay. */
export function fail(t: Transition, kind: FailureKind, code: DisplayError['code'], message: string): void {
  t.supersede();
  countFailure(t, { code, message });
  t.state.navigatedTo = undefined;
  planRetry(t, t.config.timing.step(t.state.failures, kind));
}

export function countFailure(t: Transition, error: DisplayError): void {
  stopStableTimer(t);
  t.state.failures += 1;
  t.state.error = error;
  t.warn({ error, failures: t.state.failures }, 'the target is not on the screen');
}

export function planRetry(t: Transition, { delayMs, stage, notice }: Step): void {
  t.state.loading = false;
  t.state.retryStage = stage;
  t.setTimer('retry', delayMs);
  if (notice) renderOwnPage(t, 'refresh');
}

/** Ends the browser, or the compositor with it. The target is loaded when a new browser comes. */
export function restart(t: Transition, stage: Exclude<Stage, 'page'>): void {
  const { connected } = t.state;
  t.supersede();
  t.expectTarget();
  t.state.ending = connected;
  // Also with a browser that is still connected: it may never end.
  expectBrowser(t);
  t.emit({ do: stage === 'browser' && connected ? 'quit' : 'restart_unit' });
}

/** A new browser should come by itself. When none does, the unit is restarted, more and more rarely. */
export function expectBrowser(t: Transition): void {
  if (!t.state.connected && !t.config.kioskInstalled) return;
  t.state.unitDelayMs = t.config.timing.awayMs;
  t.setTimer('unit', t.state.unitDelayMs);
}
