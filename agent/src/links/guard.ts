/**
 * Refuses requests that pages of other sites make in the host's own browser (docs/security.md: Trust model). Such
 * a page cannot read our answers, but a POST without a body would be enough to reboot the device. Programs that are not
 * browsers send neither `Origin` nor `Sec-Fetch-Site` and pass.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { BASE_PATH } from '../contract/api.ts';
import { ApiError } from '../contract/errors.ts';

/** @throws ApiError `forbidden` when the request was made by another site's page */
export type Guard = (request: IncomingMessage) => void;

/** `name`, `name:port`, `[v6]` or `[v6]:port`. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/i;

/** Longest part of a header in an answer, in characters. */
const MAX_QUOTED = 100;

/** Pages that any site may link to. They change nothing, and no other page can read or embed them. */
const LINKABLE: ReadonlySet<string | undefined> = new Set(['/', `${BASE_PATH}/docs`]);

/**
 * @param names the device's current host names, in lower case; read for every request that uses a name, since they may
 *   change
 * @param isCertified whether the device's certificate has this further name
 */
export function createGuard(
  names: () => readonly string[],
  isCertified: (name: string) => boolean = () => false,
): Guard {
  const isOurs = ownHosts(names, isCertified);
  return (request) => {
    const { headers } = request;
    const { host, origin } = headers;
    if (host === undefined || !isOurs(host)) {
      throw new ApiError('forbidden', wrongHost(host));
    }
    // `null`, the origin of sandboxed frames, local files and stripped referrers, counts as another site.
    if (origin !== undefined && !sameOrigin(origin, host)) {
      throw new ApiError('forbidden', 'Pages of another origin may not use this interface.');
    }
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !followsLink(request)) {
      throw new ApiError('forbidden', 'Pages of another site may not use this interface.');
    }
  };
}

/** Does not tell the device's names: a site that has rebound its name could read them. */
function wrongHost(host: string | undefined): string {
  const named =
    host === undefined ? 'is missing' : `names "${host.slice(0, MAX_QUOTED)}", which is not this device`;
  return `The Host header ${named}. Use an address of the device, localhost, its host name (also with .local), or a name in its certificate.`;
}

/**
 * Whether a Host header names this device. DNS rebinding needs a name that the attacker controls, so every address is
 * accepted, and of the names only the device's own, those in its certificate, and `localhost`, which browsers resolve
 * themselves. `NAME.localhost` is refused: those are the origins of content bundles.
 */
function ownHosts(
  names: () => readonly string[],
  isCertified: (name: string) => boolean,
): (host: string) => boolean {
  /** The last accepted Host that does not depend on the device's names, so that repeating it costs no parsing. */
  let known: string | undefined;
  return (host) => {
    if (host === known) return true;
    const parts = HOST.exec(host);
    const name = (parts?.[1] ?? parts?.[2])?.toLowerCase().replace(/\.$/, '');
    if (name === undefined) return false;
    if (isIP(name) !== 0 || name === 'localhost') {
      known = host;
      return true;
    }
    if (names().some((own) => name === own || name === `${own}.local`)) return true;
    // In certificates a leading dot stands for all subdomains.
    return !name.startsWith('.') && !name.endsWith('.localhost') && isCertified(name);
  };
}

/** Whether the user followed a link in a tab or window; a frame has another `Sec-Fetch-Dest`. */
function followsLink({ method, url, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    LINKABLE.has(url?.split('?', 1)[0])
  );
}

function sameOrigin(origin: string, host: string): boolean {
  const from = URL.parse(origin);
  if (from?.protocol !== 'http:' && from?.protocol !== 'https:') return false;
  // Parsing both the same way ignores letter case and the scheme's default port.
  return from.host === URL.parse(`${from.protocol}//${host}`)?.host;
}
