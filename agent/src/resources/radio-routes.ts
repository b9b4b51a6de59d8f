import { type Endpoint, notWired, type Route } from '../contract/endpoint.ts';
import { ApiError } from '../contract/errors.ts';

export interface RadioState {
  /** Whether the device has a radio of its own to manage, as measured now. */
  hasRadio: () => Promise<boolean>;
  isEnabled: () => boolean;
}

/**
 * Routes of endpoints that answer 503 `<kind>_unsupported` without a radio, 503 `<kind>_disabled` while that is
 * configured, and else 501 (docs/contract.md: Gates).
 */
export function radioRoutes(
  kind: 'wifi' | 'bluetooth',
  endpoints: readonly Endpoint[],
  { hasRadio, isEnabled }: RadioState,
): Route[] {
  const gate = async () => {
    if (!(await hasRadio())) throw new ApiError(`${kind}_unsupported`);
    if (!isEnabled()) throw new ApiError(`${kind}_disabled`);
  };
  return endpoints.map((endpoint) => notWired(endpoint, gate));
}
