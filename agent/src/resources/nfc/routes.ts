import { notWired, type Route } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Config } from '../config/schema.ts';
import { getNfcReaders, giveNfcFeedback, transceiveNfc, writeNdef } from './schema.ts';

/** While `nfc.enabled` is false every endpoint of the surface is 503 `nfc_disabled` (interface: NFC). */
export function nfcRoutes(config: { get(): Config }): Route[] {
  const gate = () => {
    if (!config.get().nfc.enabled) throw new ApiError('nfc_disabled');
  };
  return [getNfcReaders, transceiveNfc, writeNdef, giveNfcFeedback].map((endpoint) =>
    notWired(endpoint, gate),
  );
}
