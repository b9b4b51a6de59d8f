/** Our own page on the screen: the waiting page, or a notice that says why the target is not there. */
import { OWN_PAGE_UNREADABLE } from './display-errors.ts';
import type { Transition } from './keeper-state.ts';
import type { BundleProblem } from './ports.ts';
import { fail } from './recovery.ts';
import { followLoad, renderOwnPage } from './showing.ts';

/** A bundle that the waiting page reports as missing was stored or read; `problem` replaces the old reason. */
export function onBundleArrived(t: Transition, name: string, problem: BundleProblem | undefined): void {
  if (t.state.missing?.name !== name) return;
  t.state.missing = problem && { name, ...problem };
  onOwnPageChanged(t);
}

/** Renders our own page again if it is on the screen. A target that is being loaded would be cancelled by it. */
export function onOwnPageChanged(t: Transition): void {
  const { state } = t;
  if (state.rendering) state.rendering = { ...state.rendering, outdated: true };
  else if (state.ownPage !== undefined && !(state.loading && state.target.mode !== 'waiting')) {
    renderOwnPage(t, 'refresh');
  }
}

export function onRendered(t: Transition, html: string | undefined): void {
  const { state } = t;
  const { rendering } = state;
  if (!rendering) return;
  state.rendering = undefined;
  if (rendering.outdated) renderOwnPage(t, rendering.purpose);
  else if (html !== undefined && (rendering.purpose === 'target' || html !== state.ownPage)) {
    state.ownPage = html;
    t.emit({ do: 'load_own_page', html });
    if (rendering.purpose === 'target' || state.load.stage !== 'none') followLoad(t);
  } else if (rendering.purpose === 'target') fail(t, 'load', OWN_PAGE_UNREADABLE);
}
