import { type Route, serve } from '../../contract/endpoint.ts';
import type { Network } from './network.ts';
import { getNetwork } from './schema.ts';

export function networkRoutes(network: Network): Route[] {
  return [serve(getNetwork, () => network.get())];
}
