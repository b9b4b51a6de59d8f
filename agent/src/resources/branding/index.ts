import { join } from 'node:path';
import { defineResource } from '../resource.ts';
import { splashRoutes } from './routes.ts';
import * as contract from './schema.ts';
import { Splash } from './splash.ts';

export const branding = defineResource({
  contract,
  async create({ board, bus, log, disk, asset }) {
    const folder = join(board.dataFolder, 'splash');
    const service = await Splash.open({ folder, builtIn: () => asset('page/splash.png'), disk, bus, log });
    return { service, routes: splashRoutes(service) };
  },
});
