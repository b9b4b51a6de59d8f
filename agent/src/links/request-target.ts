/** Makes sure that a request names one host, so that the guard, the router and any proxy before us agree on it. */
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../contract/errors.ts';

/** `http://name:port/path`, as clients send it to proxies; servers accept it too (RFC 9112 section 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * Checks the Host header and the request target, and makes an absolute target a path.
 * @throws ApiError `bad_request` for no Host header or several, and for a target that names another host
 */
export function settleTarget(request: IncomingMessage): void {
  const hosts = countHosts(request.rawHeaders);
  if (hosts > 1) throw new ApiError('bad_request', 'The request has more than one Host header.');
  if (hosts === 0 && request.httpVersion !== '1.0') {
    throw new ApiError('bad_request', 'The request has no Host header.');
  }
  const { url = '' } = request;
  if (url.startsWith('/') || url === '*') return;
  const [, target, rest = ''] = ABSOLUTE.exec(url) ?? [];
  if (target === undefined || !isSameHost(target, request.headers.host)) {
    throw new ApiError('bad_request', 'The request target names another host than the Host header.');
  }
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** Node keeps only the first one in `headers`. @param raw names and values in turn */
function countHosts(raw: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

function isSameHost(target: string, host: string | undefined): boolean {
  if (target.includes('@')) return false;
  const named = URL.parse(`http://${target}`)?.host;
  return named !== undefined && named === URL.parse(`http://${host}`)?.host;
}
