import { notWired, type Route } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import { bindGroup, NOTHING_TO_APPLY, READ_WHEN_NEEDED } from '../config/group.ts';
import { defineResource } from '../resource.ts';
import { nfcConfig } from './config.ts';
import * as contract from './schema.ts';

export const nfc = defineResource({
  contract,
  config: [nfcConfig],
  create: ({ config }) => ({
    service: undefined,
    routes: nfcRoutes(() => config.get(nfcConfig).enabled),
    config: [
      bindGroup(nfcConfig, {
        enabled: READ_WHEN_NEEDED,
        backend: NOTHING_TO_APPLY,
        origins: NOTHING_TO_APPLY,
        i2c: NOTHING_TO_APPLY,
        spi: NOTHING_TO_APPLY,
        poll: NOTHING_TO_APPLY,
        feedback: NOTHING_TO_APPLY,
      }),
    ],
  }),
});

/** While `nfc.enabled` is false every endpoint answers 503 `nfc_disabled` (interface: NFC). */
export function nfcRoutes(isEnabled: () => boolean): Route[] {
  const { getNfcReaders, transceiveNfc, writeNdef, giveNfcFeedback } = contract;
  const gate = () => {
    if (!isEnabled()) throw new ApiError('nfc_disabled');
  };
  return [getNfcReaders, transceiveNfc, writeNdef, giveNfcFeedback].map((each) => notWired(each, gate));
}
