import { ApiError, type ErrorDefinition } from '../contract/errors.ts';
import { bindNothing, type ConfigGroup } from './config/group.ts';
import type { ConfigReader } from './config/store.ts';
import { device } from './device/index.ts';
import { defineResource } from './resource.ts';
import { noneImplemented, type Route } from './route.ts';

/** The exports of a radio's schema.ts. */
export interface RadioContract {
  unsupported: ErrorDefinition;
  disabled: ErrorDefinition;
}

export interface RadioState {
  /** Whether the device has a radio of its own to manage, as measured now. */
  hasRadio: () => Promise<boolean>;
  isEnabled: () => boolean;
}

/** The resource of a radio that this build does not drive. */
export function radioResource(
  kind: 'wifi' | 'bluetooth',
  contract: RadioContract,
  group: ConfigGroup,
  isEnabled: (config: ConfigReader) => boolean,
) {
  return defineResource({
    async create({ board, config, use }) {
      const system = await use(device);
      const hasRadio = async () => board.managesRadios && (await system.get()).capabilities[kind];
      const routes = radioRoutes(contract, { hasRadio, isEnabled: () => isEnabled(config) });
      return { service: undefined, routes, config: [bindNothing(group)] };
    },
  });
}

/**
 * Routes that answer 503 `<kind>_unsupported` without a radio, 503 `<kind>_disabled` while that is configured, and else
 * 501 (docs/api.md: Features that are off or missing).
 */
export function radioRoutes(contract: RadioContract, { hasRadio, isEnabled }: RadioState): Route[] {
  const gate = async () => {
    if (!(await hasRadio())) throw new ApiError(contract.unsupported);
    if (!isEnabled()) throw new ApiError(contract.disabled);
  };
  return noneImplemented(contract, gate);
}
