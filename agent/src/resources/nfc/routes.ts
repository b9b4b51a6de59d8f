import { type Gate, type Route, serve } from '../route.ts';
import type { Nfc } from './nfc.ts';
import { unknownReader } from './readers.ts';
import * as contract from './schema.ts';

/** @param service undefined on a system that has no readers */
export function nfcRoutes(service: Nfc | undefined, gate: Gate): Route[] {
  const withReader = ({ reader_id }: { reader_id: string }) => {
    if (!service) throw unknownReader(reader_id);
    return service;
  };
  return [
    serve(contract.getNfcReaders, () => service?.list() ?? [], gate),
    serve(contract.transceiveNfc, ({ body }) => withReader(body).transceive(body), gate),
    serve(contract.writeNdef, ({ body }) => withReader(body).writeNdef(body), gate),
    serve(contract.giveNfcFeedback, ({ body }) => withReader(body).feedback(body), gate),
  ];
}
