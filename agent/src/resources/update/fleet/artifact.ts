import type { Artifact } from './ddi-messages.ts';

/**
 * Whether a bundle may be fetched from an address that another one has named. It never downgrades to HTTP: who configured it asked
 * for encryption.
 */
export function isUsable({ protocol, username, password }: URL, named: URL): boolean {
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && named.protocol === 'http:');
  return isAllowed && username === '' && password === '';
}

/** Shorter ones are part of many texts. In characters. */
const SHORTEST_SECRET = 8;

/** Whether a text contains the token, as it is or as in a URL. What the server has named is logged, and shown. */
export function revealsToken(text: string, token: string | undefined): boolean {
  if (token === undefined || token.length < SHORTEST_SECRET) return false;
  return text.includes(token) || text.includes(encodeURIComponent(token));
}

/**
 * Chooses the link by which a bundle is fetched: one to the configured server if there is one, since the token is sent
 * there only.
 * @param server the configured address @param token a link with it is not used
 * @returns the address, or a sentence that says why there is none
 */
export function chooseLink({ links }: Artifact, server: URL, token?: string): URL | string {
  const urls = [links.secure, links.plain].flatMap((link) =>
    link !== undefined && URL.canParse(link) ? [new URL(link)] : [],
  );
  const usable = urls.filter((url) => isUsable(url, server) && !revealsToken(url.href, token));
  const chosen = usable.find(({ origin }) => origin === server.origin) ?? usable[0];
  if (chosen) return chosen;
  if (urls.some(({ protocol }) => protocol === 'http:') && server.protocol === 'https:') {
    return 'The bundle can be fetched by http: only, and the server is configured with https:.';
  }
  return 'The deployment has no link to fetch the bundle by http: or https:.';
}
