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

/** Shows the view at a path of this app. */
export function navigate(pathname: string): void {
  if (pathname !== location.pathname) history.pushState(null, '', pathname);
  current.value = pathname;
}

/** Follows the browser's back and forward buttons. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    current.value = location.pathname;
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
