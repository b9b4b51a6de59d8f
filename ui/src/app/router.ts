/** Which view is shown: the path of the address, by the history API. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { VIEW_PATHS, type ViewName } from './paths.ts';

const current = signal(globalThis.location?.pathname ?? '/');

export const path: ReadonlySignal<string> = current;

/** The view at a path; undefined for none. */
export function viewAt(pathname: string): ViewName | undefined {
  return viewNames().find((name) => VIEW_PATHS[name] === pathname);
}

/** The views in the order of the navigation. */
export function viewNames(): ViewName[] {
  // Object.keys has no better type; the object has exactly these keys.
  return Object.keys(VIEW_PATHS) as ViewName[];
}

/** Asked before the view that is shown is left. @returns whether it may be; else `leave` does it later */
export type LeaveGuard = (leave: () => void) => boolean;
let guard: LeaveGuard | undefined;

/** Asks `ask` before the view is left, until the returned function is called. */
export function guardLeaving(ask: LeaveGuard): () => void {
  guard = ask;
  return () => {
    if (guard === ask) guard = undefined;
  };
}

/** Shows the view at a path of this app, if the present one may be left. */
export function navigate(pathname: string): void {
  const go = () => show(pathname);
  if (pathname === current.peek() || !guard || guard(go)) go();
}

function show(pathname: string): void {
  if (pathname !== location.pathname) history.pushState(null, '', pathname);
  current.value = pathname;
}

/** Follows the browser's back and forward buttons. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    const { pathname } = location;
    const shown = current.peek();
    if (pathname === shown) return;
    // The address is that of the view that is shown, also while the user is asked.
    if (guard && !guard(() => show(pathname))) history.pushState(null, '', shown);
    else current.value = pathname;
  });
}

/**
 * Whether a click on a link is one that the app handles: not one for a new tab or a download.
 * @param event of the click
 */
export function isPlainClick(
  event: Pick<MouseEvent, 'button' | 'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey'>,
): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
