import { defineResource } from '../resource.ts';
import { Operations } from './operations.ts';
import { operationRoutes } from './routes.ts';

export const operations = defineResource({
  create({ bus }) {
    const service = new Operations(bus);
    return { service, routes: operationRoutes(service) };
  },
});
