import { ApiError } from './errors.ts';

/** One broken rule: where (JSON pointer into the checked value) and what. */
export interface Issue {
  path: string;
  message: string;
}

/** Issues that an answer lists; `more` counts the rest. */
export const MAX_ISSUES = 100;
/** Longest path or message in an answer, in characters: either may quote a name that the client chose. */
const MAX_TEXT = 1024;

/**
 * A 400 that lists up to MAX_ISSUES issues (docs/api.md: Errors).
 * @param what the part of the request, for the message; empty for the body
 */
export function badRequest(what: string, found: readonly Issue[]): ApiError {
  const listed = found.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: path.slice(0, MAX_TEXT).toWellFormed(),
    message: message.slice(0, MAX_TEXT).toWellFormed(),
  }));
  const more = found.length - listed.length;
  const first = listed[0];
  const summary = first
    ? `${`${what}${first.path}` || 'The body'} ${first.message}`
    : `${what || 'The body'} is not valid`;
  return new ApiError('bad_request', summary, { issues: listed, ...(more > 0 ? { more } : {}) });
}
