import { defineResource } from '../resource.ts';
import { documentRoutes } from './routes.ts';
import * as contract from './schema.ts';

/** The contract about itself. */
export const document = defineResource({
  contract,
  create: ({ asset }) => ({ service: undefined, routes: documentRoutes(asset) }),
});
