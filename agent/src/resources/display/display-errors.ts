/** The errors that the display's state can tell. */
import type { BrowserEventOf } from './ports.ts';
import type { DisplayError } from './schema.ts';

export const AWAY: DisplayError = {
  code: 'browser_unavailable',
  message: 'The browser is not running; the target is shown as soon as it is.',
};
export const BROWSER_ENDED: DisplayError = {
  code: 'page_crashed',
  message: 'The browser ended while it showed the page.',
};
export const UNRESPONSIVE: DisplayError = {
  code: 'page_unresponsive',
  message: 'The page stopped responding.',
};
export const RESTART_FAILED: DisplayError = {
  code: 'page_unresponsive',
  message: 'The browser could not be restarted.',
};
export const TIMED_OUT: DisplayError = { code: 'load_timeout', message: 'The page took too long to load.' };
export const LOAD_BLOCKED: DisplayError = { code: 'load_failed', message: 'The load was stopped again.' };
export const START_PAGE_UNREADABLE: DisplayError = {
  code: 'bundle_damaged',
  message: "The bundle's start page cannot be read.",
};
export const OWN_PAGE_UNREADABLE: DisplayError = {
  code: 'load_failed',
  message: 'The waiting page cannot be read.',
};

export function loadFailure({ kind, message }: BrowserEventOf<'load_failed'>): DisplayError {
  return { code: kind === 'tls' ? 'tls_failed' : 'load_failed', message };
}

/** For a document that is shown, but is only the answer to a missing password; null for any other. */
export function passwordError(event: BrowserEventOf<'load'>): DisplayError | null {
  if (event.authentication_required !== true) return null;
  const who = event.status === 407 ? 'The proxy' : 'The server';
  return { code: 'authentication_required', message: `${who} asks for a password, and the device has none.` };
}

export function crash(reason: 'crashed' | 'memory'): DisplayError {
  return reason === 'memory'
    ? { code: 'page_out_of_memory', message: 'The page used more memory than it may.' }
    : { code: 'page_crashed', message: 'The page crashed.' };
}
