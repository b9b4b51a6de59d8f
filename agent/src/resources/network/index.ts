import { defineResource } from '../resource.ts';
import { Network, type NetworkSource } from './network.ts';
import { networkRoutes } from './routes.ts';
import * as contract from './schema.ts';

export const network = defineResource({
  contract,
  create({ bus }, { networkSource }: { networkSource: NetworkSource }) {
    const service = new Network({ bus, source: networkSource });
    return {
      service,
      routes: networkRoutes(service),
      start: () => service.start(),
      stop: () => service.stop(),
    };
  },
});
