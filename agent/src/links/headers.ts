/** Headers that keep other sites' pages, and mistakes of our own, from making anything of an answer. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/**
 * For HTML that brings no policy of its own. Scripts come as files of our origin; nothing is loaded from
 * elsewhere, since the host may have no other network.
 */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
