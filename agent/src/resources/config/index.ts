import { defineResource } from '../resource.ts';
import { type Route, serve } from '../route.ts';
import type { ConfigContract } from './schema.ts';
import type { ConfigStore } from './store.ts';

/** The configuration as a resource. @param contract of the groups of all resources */
export function configResource(contract: ConfigContract) {
  return defineResource({
    create({ bus, config }) {
      bus.provideState(contract.configChanged, () => ({ paths: [], config: config.tree }));
      return {
        service: undefined,
        routes: configRoutes(contract, config),
        problems: () => config.problems(),
      };
    },
  });
}

export function configRoutes({ getConfig, patchConfig }: ConfigContract, config: ConfigStore): Route[] {
  return [serve(getConfig, () => config.tree), serve(patchConfig, ({ body }) => config.patch(body))];
}
