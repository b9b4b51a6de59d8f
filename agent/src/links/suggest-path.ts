/** What a client probably meant whose path does not exist, or does not have its method. */
import { distanceOf } from '../base/spelling.ts';
import { BASE_PATH } from '../contract/api.ts';

/** Longer paths are not compared. */
const MAX_PATH = 200;
const PREFIX = BASE_PATH.split('/').slice(1);

export interface RoutePath {
  method: string;
  /** As the router spells it: `/content/:name`. */
  url: string;
}

/** A path that exists and differs by little: by typing mistakes, a missing or doubled prefix, or a slash too many. */
export function suggestPath(path: string, routes: readonly RoutePath[]): string | undefined {
  if (path.length > MAX_PATH) return undefined;
  const given = path.split('/').filter((part) => part !== '');
  const bare = given.filter((part, index) => index >= PREFIX.length || !PREFIX.includes(part.toLowerCase()));
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const { url } of routes) {
    const wanted = partsOf(url);
    const prefix = url.startsWith(`${BASE_PATH}/`) ? PREFIX : [];
    const parts = fill(bare, wanted.slice(prefix.length));
    if (!parts || parts.cost >= least) continue;
    const found = `/${[...prefix, ...parts.filled].join('/')}`;
    if (found !== path) [best, least] = [found, parts.cost];
  }
  return best;
}

/** Where the method is that was tried at a collection: `PUT /content/{name}` for `/content`. */
export function suggestMember(
  method: string,
  path: string,
  routes: readonly RoutePath[],
): string | undefined {
  const member = routes.find((route) => {
    const last = /^(.*)\/:(\w+)$/.exec(route.url);
    return route.method === method && last?.[1] === path;
  });
  return member && `${method} ${member.url.replaceAll(/:(\w+)/g, '{$1}')}`;
}

const partsOf = (url: string): string[] => url.split('/').slice(1);

/** The path's parts with their names as they should be; undefined if they are too different. */
function fill(
  given: readonly string[],
  wanted: readonly string[],
): { filled: string[]; cost: number } | undefined {
  if (given.length !== wanted.length || wanted.length === 0) return undefined;
  let cost = 0;
  const filled = wanted.map((part, index) => {
    const own = given[index] ?? '';
    if (part.startsWith(':')) return own;
    cost += distanceOf(own, part);
    return part;
  });
  return cost === Number.POSITIVE_INFINITY ? undefined : { filled, cost };
}
