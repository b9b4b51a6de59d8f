import { join } from 'node:path';
import { display } from '../display/index.ts';
import { defineResource } from '../resource.ts';
import { Certificates, type Https, type Trust } from './certificates.ts';
import { certificateRoutes } from './routes.ts';
import * as contract from './schema.ts';

export const certificates = defineResource({
  contract,
  async create({ board, log, use }, { https, trust }: { https: Https; trust: Trust }) {
    const { restartBrowser } = await use(display);
    const service = new Certificates({
      folder: join(board.dataFolder, 'certificates'),
      https,
      trust,
      trustChanged: restartBrowser,
      log,
    });
    return {
      service,
      routes: certificateRoutes(service),
      problems: () => service.problems(),
      start: () => service.start(),
    };
  },
});
