import { serve } from '../../contract/endpoint.ts';
import { defineResource } from '../resource.ts';
import { Network, type NetworkSource } from './network.ts';
import * as contract from './schema.ts';

export const network = defineResource({
  contract,
  create({ bus }, { networkSource }: { networkSource: NetworkSource }) {
    const service = new Network({ bus, source: networkSource });
    return {
      service,
      routes: [serve(contract.getNetwork, () => service.get())],
      start: () => service.start(),
      stop: () => service.stop(),
    };
  },
});
