import type { BrowserEvent } from './ports.ts';
import type { DisplayError } from './schema.ts';

export const AWAY: DisplayError = {
  code: 'browser_unavailable',
  message: 'The browser is not running; what was asked for is shown as soon as it is.',
};

export const TIMED_OUT: DisplayError = { code: 'load_timeout', message: 'The page did not come in time.' };

export function loadFailure({
  kind,
  message,
}: Extract<BrowserEvent, { event: 'load_failed' }>): DisplayError {
  return { code: kind === 'tls' ? 'tls_failed' : 'load_failed', message };
}

/** What keeps a document from being the page that was asked for, though it is shown; null when nothing does. */
export function denial(event: Extract<BrowserEvent, { event: 'load' }>): DisplayError | null {
  if (event.authentication_required !== true) return null;
  const who = event.status === 407 ? 'The proxy' : 'The server';
  return { code: 'authentication_required', message: `${who} asks for a password, and the device has none.` };
}

export function crash(reason: 'crashed' | 'memory'): DisplayError {
  return reason === 'memory'
    ? { code: 'page_out_of_memory', message: 'The page used more memory than it may.' }
    : { code: 'page_crashed', message: 'The page crashed.' };
}
