/** Our own page on the screen: the waiting page, or a notice that says why the target is not there. */
import { OWN_PAGE_UNREADABLE } from './display-errors.ts';
import type { EventOf, Transition } from './keeper-state.ts';
import { fail } from './recovery.ts';
import { followLoad, renderOwnPage } from './showing.ts';

/** A bundle that the waiting page reports as missing was stored or read; `problem` replaces the old reason. */
export function onBundleArrived(t: Transition, { name, problem }: EventOf<'bundle_arrived'>): void {
  if (t.state.missing?.name !== name) return;
  t.state.missing = problem && { name, ...problem };
  onOwnPageChanged(t);
}

/** Renders our own page again if it is on the screen. It must not cancel the load of anything else. */
export function onOwnPageChanged(t: Transition): void {
  const { state } = t;
  const isOwnLoad = state.target.mode === 'waiting' && state.load.stage !== 'none';
  if (state.rendering) state.rendering = { ...state.rendering, outdated: true };
  else if (state.ownPage !== undefined && (isOwnLoad || !state.loading)) renderOwnPage(t, 'refresh');
}

export function onRendered(t: Transition, { html }: EventOf<'rendered'>): void {
  const { state } = t;
  const { rendering } = state;
  if (!rendering) return;
  state.rendering = undefined;
  if (rendering.outdated) renderOwnPage(t, rendering.purpose);
  else if (html !== undefined && (rendering.purpose === 'target' || html !== state.ownPage)) {
    state.ownPage = html;
    state.isOwnPageShown = false;
    t.emit({ do: 'load_own_page', html });
    if (rendering.purpose === 'target' || state.load.stage !== 'none') followLoad(t);
  } else if (rendering.purpose === 'target') fail(t, 'load', OWN_PAGE_UNREADABLE);
}
