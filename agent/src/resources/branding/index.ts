import { join } from 'node:path';
import { receiveToMemory } from '../../uploads/receive.ts';
import { atMost } from '../at-most.ts';
import { defineResource } from '../resource.ts';
import { type Route, serve } from '../route.ts';
import * as contract from './schema.ts';
import { Splash } from './splash.ts';

/** Each is held in memory whole. */
const MAX_UPLOADS = 8;

export const branding = defineResource({
  async create({ board, bus, log, disk, asset }) {
    const folder = join(board.dataFolder, 'splash');
    const service = await Splash.open({ folder, builtIn: () => asset('page/splash.png'), disk, bus, log });
    return { service, routes: splashRoutes(service) };
  },
});

export function splashRoutes(splash: Splash): Route[] {
  const bounded = atMost(MAX_UPLOADS, 'images on their way');
  const { getSplash, uploadSplash, resetSplash } = contract;
  const { getShutdownSplash, uploadShutdownSplash, resetShutdownSplash } = contract;
  const kinds = [
    { kind: 'boot', get: getSplash, put: uploadSplash, remove: resetSplash },
    { kind: 'shutdown', get: getShutdownSplash, put: uploadShutdownSplash, remove: resetShutdownSplash },
  ] as const;
  return kinds.flatMap(({ kind, get, put, remove }) => [
    serve(get, () => splash.get(kind)),
    serve(put, ({ upload }) =>
      bounded(async () => splash.put(kind, await receiveToMemory(upload, contract.MAX_SPLASH_BYTES))),
    ),
    serve(remove, () => splash.reset(kind)),
  ]);
}
