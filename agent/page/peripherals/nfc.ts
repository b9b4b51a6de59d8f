/** Web NFC for pages that may use it, and `vitrine.nfc`. */
import type { VitrineNfc } from '../display-client.d.ts';
import type { Bridge } from './bridge.ts';
import { defineProperty, freeze, fromBase64, toBase64, typeError } from './builtins.ts';
import { NDEFReadingEvent, ndefReaderClass } from './nfc-reader.ts';
import { NDEFMessage, NDEFRecord } from './nfc-records.ts';
import { bytesOf, expose } from './webidl.ts';

const MIN_APDU_BYTES = 4;
const MAX_APDU_BYTES = 65_544;

/** Defines the interfaces on the window, and `vitrine` with `nfc`, to which display-client.js adds its own members. */
export function installNfc(bridge: Bridge): void {
  expose(ndefReaderClass(bridge), 'NDEFReader');
  expose(NDEFReadingEvent, 'NDEFReadingEvent', 2);
  expose(NDEFMessage, 'NDEFMessage', 1);
  expose(NDEFRecord, 'NDEFRecord', 1);
  const nfc: VitrineNfc = {
    async transceive(apdu: BufferSource) {
      const bytes = bytesOf(apdu);
      if (bytes.length < MIN_APDU_BYTES || bytes.length > MAX_APDU_BYTES) {
        throw typeError(`An APDU has ${MIN_APDU_BYTES} to ${MAX_APDU_BYTES} bytes.`);
      }
      const { response } = await bridge.call('nfc.transceive', { apdu: toBase64(bytes) });
      return fromBase64(response).buffer;
    },
  };
  freeze(nfc);
  defineProperty(window, 'vitrine', { configurable: true, value: { nfc } });
}
