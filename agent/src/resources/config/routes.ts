import { type Route, serve } from '../../contract/endpoint.ts';
import type { ConfigContract } from './schema.ts';
import type { ConfigStore } from './store.ts';

export function configRoutes({ getConfig, patchConfig }: ConfigContract, config: ConfigStore): Route[] {
  return [serve(getConfig, () => config.tree), serve(patchConfig, ({ body }) => config.patch(body))];
}
