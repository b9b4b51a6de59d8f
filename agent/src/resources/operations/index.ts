import { defineResource } from '../resource.ts';
import { Operations } from './operations.ts';
import { operationRoutes } from './routes.ts';
import * as contract from './schema.ts';

export const operations = defineResource({
  contract,
  create({ bus }) {
    const service = new Operations(bus);
    return { service, routes: operationRoutes(service) };
  },
});
