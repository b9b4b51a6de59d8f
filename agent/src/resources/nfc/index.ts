import { ApiError } from '../../contract/errors.ts';
import { bindNothing } from '../config/group.ts';
import { defineResource } from '../resource.ts';
import { noneImplemented, type Route } from '../route.ts';
import { nfcConfig } from './config.ts';
import * as contract from './schema.ts';
import { nfcDisabled } from './schema.ts';

export const nfc = defineResource({
  create: ({ config }) => ({
    service: undefined,
    routes: nfcRoutes(() => config.get(nfcConfig).enabled),
    config: [bindNothing(nfcConfig)],
  }),
});

/** While `nfc.enabled` is false every endpoint answers 503 `nfc_disabled`. */
export function nfcRoutes(isEnabled: () => boolean): Route[] {
  return noneImplemented(contract, () => {
    if (!isEnabled()) throw new ApiError(nfcDisabled);
  });
}
