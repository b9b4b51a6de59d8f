import { ApiError, type ErrorDefinition } from '../contract/errors.ts';
import type { Gate } from './route.ts';

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

/**
 * Refuses with 503 `<kind>_unsupported` without a radio, and with 503 `<kind>_disabled` while that is configured
 * (docs/api.md: Features that are off or missing).
 */
export function radioGate(
  { unsupported, disabled }: RadioContract,
  { hasRadio, isEnabled }: RadioState,
): Gate {
  return async () => {
    if (!(await hasRadio())) throw new ApiError(unsupported);
    if (!isEnabled()) throw new ApiError(disabled);
  };
}
