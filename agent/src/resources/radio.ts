import { noneWired, type Route } from '../contract/endpoint.ts';
import { ApiError } from '../contract/errors.ts';
import { bindNothing, type ConfigGroup } from './config/group.ts';
import type { ConfigReader } from './config/store.ts';
import { device } from './device/index.ts';
import { defineResource } from './resource.ts';

export interface RadioState {
  /** Whether the device has a radio of its own to manage, as measured now. */
  hasRadio: () => Promise<boolean>;
  isEnabled: () => boolean;
}

/** The resource of a radio that this build does not drive. @param contract the exports of its schema.ts */
export function radioResource<C extends object>(
  kind: 'wifi' | 'bluetooth',
  contract: C,
  group: ConfigGroup,
  isEnabled: (config: ConfigReader) => boolean,
) {
  return defineResource({
    contract,
    config: [group],
    async create({ board, config, use }) {
      const system = await use(device);
      const hasRadio = async () => board.managesRadios && (await system.get()).capabilities[kind];
      const routes = radioRoutes(kind, contract, { hasRadio, isEnabled: () => isEnabled(config) });
      return { service: undefined, routes, config: [bindNothing(group)] };
    },
  });
}

/**
 * Routes that answer 503 `<kind>_unsupported` without a radio, 503 `<kind>_disabled` while that is configured, and else
 * 501 (docs/contract.md: Gates).
 */
export function radioRoutes(
  kind: 'wifi' | 'bluetooth',
  contract: object,
  { hasRadio, isEnabled }: RadioState,
): Route[] {
  const gate = async () => {
    if (!(await hasRadio())) throw new ApiError(`${kind}_unsupported`);
    if (!isEnabled()) throw new ApiError(`${kind}_disabled`);
  };
  return noneWired(contract, gate);
}
