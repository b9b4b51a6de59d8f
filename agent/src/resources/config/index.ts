import { defineResource } from '../resource.ts';
import { configRoutes } from './routes.ts';
import type { ConfigContract } from './schema.ts';

/** The configuration as a resource. @param contract of the groups of all resources */
export function configResource(contract: ConfigContract) {
  return defineResource({
    contract,
    create: ({ config }) => ({
      service: undefined,
      routes: configRoutes(contract, config),
      problems: () => config.problems(),
    }),
  });
}
