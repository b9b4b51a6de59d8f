import { bindGroup, NOTHING_TO_APPLY, READ_WHEN_NEEDED } from '../config/group.ts';
import { defineResource } from '../resource.ts';
import { nfcConfig } from './config.ts';
import { nfcRoutes } from './routes.ts';
import * as contract from './schema.ts';

export const nfc = defineResource({
  contract,
  config: [nfcConfig],
  create: ({ config }) => ({
    service: undefined,
    routes: nfcRoutes(() => config.get(nfcConfig).enabled),
    config: [
      bindGroup(nfcConfig, {
        enabled: READ_WHEN_NEEDED,
        backend: NOTHING_TO_APPLY,
        origins: NOTHING_TO_APPLY,
        i2c: NOTHING_TO_APPLY,
        spi: NOTHING_TO_APPLY,
        poll: NOTHING_TO_APPLY,
        feedback: NOTHING_TO_APPLY,
      }),
    ],
  }),
});
