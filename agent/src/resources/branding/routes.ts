import { atMost } from '../../contract/at-most.ts';
import { type Route, serve } from '../../contract/endpoint.ts';
import { receiveToMemory } from '../../uploads/receive.ts';
import {
  getShutdownSplash,
  getSplash,
  MAX_SPLASH_BYTES,
  resetShutdownSplash,
  resetSplash,
  uploadShutdownSplash,
  uploadSplash,
} from './schema.ts';
import type { Splash, SplashKind } from './splash.ts';

/** Each is held in memory whole. */
const MAX_UPLOADS = 8;

export function splashRoutes(splash: Splash): Route[] {
  const bounded = atMost(MAX_UPLOADS, 'images on their way');
  return [
    ...routesOf(splash, bounded, 'boot', getSplash, uploadSplash, resetSplash),
    ...routesOf(splash, bounded, 'shutdown', getShutdownSplash, uploadShutdownSplash, resetShutdownSplash),
  ];
}

function routesOf(
  splash: Splash,
  bounded: ReturnType<typeof atMost>,
  kind: SplashKind,
  get: typeof getSplash | typeof getShutdownSplash,
  put: typeof uploadSplash | typeof uploadShutdownSplash,
  remove: typeof resetSplash | typeof resetShutdownSplash,
): Route[] {
  return [
    serve(get, () => splash.get(kind)),
    serve(put, async ({ upload }) => {
      await bounded(async () => splash.put(kind, await receiveToMemory(upload, MAX_SPLASH_BYTES)));
      return undefined;
    }),
    serve(remove, async () => {
      await splash.reset(kind);
      return undefined;
    }),
  ];
}
