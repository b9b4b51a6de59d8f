import { defineResource } from '../resource.ts';
import { type Route, serve } from '../route.ts';
import { Operations } from './operations.ts';
import { getOperation } from './schema.ts';

export const operations = defineResource({
  create({ bus }) {
    const service = new Operations(bus);
    return { service, routes: operationRoutes(service) };
  },
});

export function operationRoutes(service: Operations): Route[] {
  return [serve(getOperation, ({ params }) => service.get(params.id))];
}
