import { type Gate, notWired, type Route } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import { getNfcReaders, giveNfcFeedback, transceiveNfc, writeNdef } from './schema.ts';

/** While `nfc.enabled` is false every endpoint answers 503 `nfc_disabled` (interface: NFC). */
export function nfcRoutes(isEnabled: () => boolean): Route[] {
  const gate: Gate = () => {
    if (!isEnabled()) throw new ApiError('nfc_disabled');
  };
  return [getNfcReaders, transceiveNfc, writeNdef, giveNfcFeedback].map((endpoint) =>
    notWired(endpoint, gate),
  );
}
