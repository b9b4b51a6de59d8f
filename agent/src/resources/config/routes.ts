import { type Route, serve } from '../../contract/endpoint.ts';
import { getConfig, patchConfig } from './schema.ts';
import type { ConfigStore } from './store.ts';

export function configRoutes(config: ConfigStore): Route[] {
  return [serve(getConfig, () => config.get()), serve(patchConfig, ({ body }) => config.patch(body))];
}
