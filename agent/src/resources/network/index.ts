import { defineResource } from '../resource.ts';
import { serve } from '../route.ts';
import { Network, type NetworkSource } from './network.ts';
import * as contract from './schema.ts';

export const network = defineResource({
  create({ bus }, { networkSource }: { networkSource: NetworkSource }) {
    const service = new Network({ bus, source: networkSource });
    bus.provideState(contract.networkChanged, () => service.get());
    return {
      service,
      routes: [serve(contract.getNetwork, () => service.get())],
      start: () => service.start(),
      stop: () => service.stop(),
    };
  },
});
