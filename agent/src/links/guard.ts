/**
 * Tells the host on the cable from other sites' pages in the host's own browser (docs/architecture.md: Whom we
 * trust). A page of another site can make that browser send requests here, and cannot read our answers, but a
 * POST without a body reboots the device without being read. Programs that are not browsers send neither
 * `Origin` nor `Sec-Fetch-Site` and pass.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { BASE_PATH } from '../contract/api.ts';
import { ApiError } from '../contract/errors.ts';

/** @throws ApiError `forbidden` when the request was made by another site's page */
export type Guard = (request: IncomingMessage) => void;

/** `name`, `name:port`, `[v6]` or `[v6]:port`. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/i;

/** Pages that any site may have a link to. They change nothing, and no page can read them or put them into a frame. */
const LINKABLE: ReadonlySet<string | undefined> = new Set(['/', `${BASE_PATH}/docs`]);

/**
 * @param hostname the device's current host name; asked for every request that goes by a name, since it may change
 * @param isGiven whether the owner has given the device this further name: by a certificate that says so
 */
export function createGuard(hostname: () => string, isGiven: (name: string) => boolean = () => false): Guard {
  const isOurs = ownHosts(hostname, isGiven);
  return (request) => {
    const { headers } = request;
    const { host, origin } = headers;
    if (host === undefined || !isOurs(host)) {
      throw new ApiError('forbidden', 'The Host header does not name this device.');
    }
    // `null`, the origin of sandboxed frames, local files and stripped referrers, is another site too.
    if (origin !== undefined && !sameOrigin(origin, host)) {
      throw new ApiError('forbidden', 'Pages of another origin may not use this interface.');
    }
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !followsLink(request)) {
      throw new ApiError('forbidden', 'Pages of another site may not use this interface.');
    }
  };
}

/**
 * Whether a Host header can only have been written by someone who meant this device. DNS rebinding needs a name
 * that the attacker controls, so any address will do; of the names only the device's own, those that its owner has given
 * it and `localhost` (which browsers resolve themselves) will. `NAME.localhost` will not: those are the origins of
 * content bundles.
 */
function ownHosts(hostname: () => string, isGiven: (name: string) => boolean): (host: string) => boolean {
  /** The last Host that will do whatever the device is called: one that comes again need not be read again. */
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
    const own = hostname().toLowerCase();
    if (name === own || name === `${own}.local`) return true;
    // A name with an empty part in front stands for many in certificates.
    return !name.startsWith('.') && !name.endsWith('.localhost') && isGiven(name);
  };
}

/** Somebody has followed a link, in a tab or window of its own: a frame has another destination. */
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
  // Read both by the same rules: letter case and the scheme's own port make no other origin.
  return from.host === URL.parse(`${from.protocol}//${host}`)?.host;
}
