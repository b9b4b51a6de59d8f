import { type Route, serve } from '../../contract/endpoint.ts';
import { endpointsById, topics } from '../all.ts';
import { openApi } from './openapi.ts';
import { docsPage } from './page.ts';
import { getDocs, getOpenApi } from './schema.ts';
import { toYaml } from './yaml.ts';

/** Reads a file that ships with the agent, by its path below `agent/`. */
export type ReadAsset = (name: string) => Promise<Uint8Array>;

/** The document as it is committed and served. */
export function openApiYaml(): string {
  return toYaml(openApi(endpointsById, topics));
}

/** The contract about itself, made when first asked for and then kept. */
export function documentRoutes(asset: ReadAsset): Route[] {
  let yaml: Uint8Array | undefined;
  let page: Uint8Array | undefined;
  return [
    serve(getOpenApi, () => {
      yaml ??= Buffer.from(openApiYaml());
      return yaml;
    }),
    serve(getDocs, async () => {
      if (!page) {
        const style = Buffer.from(await asset('ui/docs.css')).toString('utf8');
        page = Buffer.from(docsPage(openApi(endpointsById, topics), style));
      }
      return page;
    }),
  ];
}
