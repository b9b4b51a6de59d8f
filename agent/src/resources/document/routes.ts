import { type Route, serve } from '../../contract/endpoint.ts';
import { getDocs, getOpenApi } from './schema.ts';

/** Reads a file that ships with the agent. */
export type ReadAsset = (name: string) => Promise<Uint8Array>;

/** Serves the description of the API; `npm run generate` writes both files from the schemas (ci/openapi/). */
export function documentRoutes(asset: ReadAsset): Route[] {
  return [serve(getOpenApi, () => asset('docs/openapi.yaml')), serve(getDocs, () => asset('ui/docs.html'))];
}
