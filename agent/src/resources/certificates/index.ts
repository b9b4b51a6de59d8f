import { join } from 'node:path';
import { receiveToMemory } from '../../uploads/receive.ts';
import { atMost } from '../at-most.ts';
import { display } from '../display/index.ts';
import { defineResource } from '../resource.ts';
import { serve } from '../route.ts';
import { Certificates, type Https, type Trust } from './certificates.ts';
import * as contract from './schema.ts';

/** Each is held in memory whole. */
const MAX_UPLOADS = 4;

export const certificates = defineResource({
  async create({ board, bus, log, use }, { https, trust }: { https: Https; trust: Trust }) {
    const { restartBrowser } = await use(display);
    const service = new Certificates({
      folder: join(board.dataFolder, 'certificates'),
      https,
      trust,
      trustChanged: restartBrowser,
      changed: (kind) => bus.emit(contract.certificatesChanged, { kind }),
      log,
    });
    const bounded = atMost(MAX_UPLOADS, 'uploads of certificate files');
    const { MAX_PEM_BYTES: limit } = contract;
    return {
      service,
      routes: [
        serve(contract.getCertificates, () => service.list()),
        serve(contract.uploadCaCertificates, ({ upload }) =>
          bounded(async () => service.putCa(await receiveToMemory(upload, limit))),
        ),
        serve(contract.deleteCaCertificates, () => service.deleteCa()),
        serve(contract.uploadServerCertificate, ({ upload }) =>
          bounded(async () => service.putServer(await receiveToMemory(upload, limit))),
        ),
        serve(contract.deleteServerCertificate, () => service.deleteServer()),
      ],
      problems: () => service.problems(),
      start: () => service.start(),
    };
  },
});
