import { collectBody } from '../../contract/body.ts';
import { type Route, serve } from '../../contract/endpoint.ts';
import {
  deleteShutdownSplash,
  deleteSplash,
  getShutdownSplash,
  getSplash,
  MAX_SPLASH_BYTES,
  putShutdownSplash,
  putSplash,
} from './schema.ts';
import type { Splash, SplashKind } from './splash.ts';

export function splashRoutes(splash: Splash): Route[] {
  return [
    ...routesOf(splash, 'boot', getSplash, putSplash, deleteSplash),
    ...routesOf(splash, 'shutdown', getShutdownSplash, putShutdownSplash, deleteShutdownSplash),
  ];
}

function routesOf(
  splash: Splash,
  kind: SplashKind,
  get: typeof getSplash | typeof getShutdownSplash,
  put: typeof putSplash | typeof putShutdownSplash,
  remove: typeof deleteSplash | typeof deleteShutdownSplash,
): Route[] {
  return [
    serve(get, () => splash.get(kind)),
    serve(put, async ({ upload }) => {
      await splash.put(kind, await collectBody(upload, MAX_SPLASH_BYTES));
      return undefined;
    }),
    serve(remove, async () => {
      await splash.reset(kind);
      return undefined;
    }),
  ];
}
