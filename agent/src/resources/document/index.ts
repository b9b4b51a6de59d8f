import { defineResource, type Services } from '../resource.ts';
import { type Route, serve } from '../route.ts';
import * as contract from './schema.ts';

/** The contract about itself. */
export const document = defineResource({
  create: ({ asset }) => ({ service: undefined, routes: documentRoutes(asset) }),
});

/** Serves the description of the API; `npm run generate` writes its files from the schemas (ci/openapi/). */
export function documentRoutes(asset: Services['asset']): Route[] {
  return [
    serve(contract.getOpenApi, () => asset('docs/openapi.yaml')),
    serve(contract.getAsyncApi, () => asset('docs/asyncapi.yaml')),
    serve(contract.getDocs, () => asset('ui/docs.html')),
  ];
}
