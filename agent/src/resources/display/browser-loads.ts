/**
 * Events of the browser's loads (browser/PROTOCOL.md). They belong to the load of the target or to a navigation by the
 * page itself.
 */
import type { EventOf } from './keeper-state.ts';
import type { KeeperTransition } from './keeper-transition.ts';
import type { DisplayError } from './schema.ts';
import { OWN_URI } from './target.ts';

export const FROZEN: DisplayError = {
  code: 'screen_frozen',
  message: 'The page answers, but its frames do not reach the screen.',
};

/** Only the target's load is followed, not that of a notice. */
export function onLoadSent(t: KeeperTransition, { id }: EventOf<'load_sent'>): void {
  if (t.state.load.stage === 'requested') t.state.load = { stage: 'requested', id };
}

/** Until the target's document is there, loads without an id belong to the page before. */
export function onLoad(t: KeeperTransition, event: EventOf<'load'>): void {
  const { load, foundUri } = t.state;
  if (event.state === 'committed') {
    if (!t.state.hasDocument) t.state.missedPongs = 0; // of the time when its process was started
    t.state.hasDocument = true;
    if (event.uri === OWN_URI) t.state.ownPage &&= { ...t.state.ownPage, shown: true };
    // Any document replaces it, also one whose load is not followed any more.
    else if (t.state.ownPage?.shown) t.state.ownPage = undefined;
    if (foundUri !== null) t.state.foundUri = event.uri;
  }
  if (event.load === 0 && load.stage === 'committed') pageNavigates(t, event);
  else if (event.load === 0 && load.stage === 'started' && event.state === 'started') terminateForLoad(t);
  else if (event.load === load.id) targetLoads(t, event);
}

export function onLoadFailed(t: KeeperTransition, event: EventOf<'load_failed'>): void {
  const { load } = t.state;
  if (event.load === load.id) {
    if (event.kind === 'cancelled') terminateForLoad(t);
    else t.fail('load', event.kind === 'tls' ? 'tls_failed' : 'load_failed', event.message);
  } else if (event.load === 0 && load.stage === 'committed') t.markUp(); // the page stays as it was
}

/** A step of a load took too long. A page whose document is there stays, whatever of it is still missing. */
export function onLoadTimer(t: KeeperTransition): void {
  const { load, hasDocument, terminatedForLoad, missedPongs } = t.state;
  if (load.stage === 'committed') t.markUp();
  else if (load.stage === 'requested' && hasDocument && !terminatedForLoad) terminateForLoad(t);
  else if (!hasDocument && missedPongs >= t.config.timing.misses) {
    t.state.missedPongs = 0;
    t.terminateBroken('unresponsive');
  } else {
    t.state.ownPage = undefined; // rendered again, it replaces what is still being loaded
    t.fail('load', 'load_timeout', 'The page took too long to load.');
  }
}

/** The page on the screen does not let the target replace it: it is terminated, once, and the target loaded again. */
function terminateForLoad(t: KeeperTransition): void {
  if (t.state.terminatedForLoad) {
    t.fail('load', 'load_failed', 'The load was stopped again.');
    return;
  }
  t.supersede();
  t.state.terminatedForLoad = true;
  t.state.loading = true;
  t.emit({ do: 'terminate_page', next: 'load' });
}

function targetLoads(t: KeeperTransition, event: EventOf<'load'>): void {
  if (event.state === 'started') {
    t.state.load = { stage: 'started', id: event.load };
    t.setTimer('load', t.config.timing.documentMs);
  } else if (event.state === 'committed') targetCommitted(t, event);
  else if (event.state === 'finished') t.markUp();
}

function targetCommitted(t: KeeperTransition, event: EventOf<'load'>): void {
  const { state } = t;
  const { target } = state;
  // From here on, what comes without an id is the page's own.
  state.load = { stage: 'committed', id: event.load };
  state.terminatedForLoad = false;
  documentArrived(t, event);
  // An HTTP error from a foreign server is a page like any other; from our own server it is not.
  if (target.mode !== 'bundle' || (event.status ?? 0) < 400) return;
  if (event.uri === target.url) t.fail('load', 'bundle_damaged', "The bundle's start page cannot be read.");
  else t.show(); // a reload, at an address that only a script of the start page can handle
}

function pageNavigates(t: KeeperTransition, event: EventOf<'load'>): void {
  const { state } = t;
  if (event.state === 'started') {
    state.loading = true;
    t.setTimer('load', t.config.timing.documentMs);
  } else if (event.state === 'committed') {
    state.loading = true;
    state.navigatedTo = event.uri;
    documentArrived(t, event);
  } else if (event.state === 'finished') t.markUp();
}

/** The screen shows the document; if it is only the answer to a missing password, that is an error. */
function documentArrived(t: KeeperTransition, { authentication_required, status }: EventOf<'load'>): void {
  const who = status === 407 ? 'The proxy' : 'The server';
  const message = `${who} asks for a password, and the device has none.`;
  const shown = t.state.frozen ? FROZEN : null;
  t.state.error = authentication_required ? { code: 'authentication_required', message } : shown;
  t.setTimer('load', t.config.timing.completeMs);
}
