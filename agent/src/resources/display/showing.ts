/** Starts to bring the target, or our own page, to the screen. */
import type { Transition } from './keeper-state.ts';
import { addressOf, noticeOf } from './target.ts';

/** Loads the target, in place of everything that is under way. Without a ready browser it is loaded when one is. */
export function show(t: Transition): void {
  t.supersede();
  const { settings, ending } = t.state;
  if (settings === 'failed' && !ending) prepareBrowser(t);
  if (!t.isReady) return;
  const address = addressOf(t.state.target, t.config.bundleUrl);
  if (address === undefined) renderOwnPage(t, 'target');
  else {
    if (!t.state.isOwnPageShown) t.state.ownPage = undefined; // this load cancels it
    t.emit({ do: 'load', address });
    followLoad(t);
  }
}

/** Gives the browser its settings. It opens its files only then. */
export function prepareBrowser(t: Transition): void {
  t.state.settings = 'none';
  t.emit({ do: 'prepare_browser' });
}

/** The load that was sent just now brings the target. */
export function followLoad(t: Transition): void {
  t.state.load = { stage: 'requested', id: undefined };
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
  t.state.error = t.state.documentError;
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
