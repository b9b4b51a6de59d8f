/// <reference types="w3c-web-nfc" />
/** A page that uses NFC as the specification's documentation says; it knows nothing of the device. */
import '../../agent/page/display-client.d.ts';

const decoder = new TextDecoder();
const seen: string[] = [];
let stop = new AbortController();

/** A record in words, with those inside of it. */
function describe(
  { recordType, id, mediaType, lang, encoding, data, toRecords }: NDEFRecord,
  record: NDEFRecord,
): string {
  if (recordType === 'smart-poster') {
    const inner = toRecords?.call(record).map((each) => describe(each, each));
    return `poster(${inner?.join(', ')})`;
  }
  const text = recordType === 'text' ? new TextDecoder(encoding).decode(data) : decoder.decode(data);
  return [recordType, id, mediaType, lang, text].filter(Boolean).join(' ');
}

/** Everything that the test calls. */
const nfcPage = {
  seen,

  async scan(): Promise<void> {
    const ndef = new NDEFReader();
    stop = new AbortController();
    await ndef.scan({ signal: stop.signal });
    // After the scan has begun, as in the specification's examples.
    ndef.onreadingerror = ({ type }) => seen.push(type);
    ndef.onreading = ({ message, serialNumber }) => {
      seen.push(`${serialNumber}: ${message.records.map((record) => describe(record, record)).join(', ')}`);
    };
  },

  /** The read-and-write example: several readers, each with its own signal. */
  async scanWithListener(): Promise<void> {
    const ndef = new NDEFReader();
    await ndef.scan();
    ndef.addEventListener('reading', (event) => {
      if (event instanceof NDEFReadingEvent) seen.push(`listener ${event.serialNumber}`);
    });
  },

  stop(): void {
    stop.abort();
  },

  async write(message: NDEFMessageSource, options?: NDEFWriteOptions): Promise<string> {
    try {
      await new NDEFReader().write(message, options);
      return 'written';
    } catch (error) {
      return error instanceof Error || error instanceof DOMException ? error.name : 'no error';
    }
  },

  async writePoster(): Promise<string> {
    const poster: NDEFMessageInit = {
      records: [
        { recordType: 'text', data: 'Hallo', lang: 'de' },
        { recordType: 'url', data: 'https://example.com/' },
        { recordType: ':act', data: new Uint8Array([0]) },
        { recordType: 'mime', mediaType: 'image/png', data: new Uint8Array([1, 2]) },
      ],
    };
    return await nfcPage.write({ records: [{ recordType: 'smart-poster', data: poster, id: 'p' }] });
  },

  /** A write that is given up. */
  async writeAborted(when: 'before' | 'meanwhile'): Promise<string> {
    const controller = new AbortController();
    if (when === 'before') controller.abort();
    const written = nfcPage.write('x', { signal: controller.signal });
    controller.abort();
    return await written;
  },

  async names(works: readonly (() => unknown)[]): Promise<string[]> {
    const names: string[] = [];
    for (const work of works) {
      try {
        names.push(String(await work()));
      } catch (error) {
        names.push(error instanceof Error || error instanceof DOMException ? error.name : 'no error');
      }
    }
    return names;
  },

  async transceive(apdu: readonly number[]): Promise<string> {
    const answer = await window.vitrine.nfc?.transceive(new Uint8Array(apdu));
    return answer ? new Uint8Array(answer).join() : 'no nfc';
  },
};

export type NfcPage = typeof nfcPage;
Object.assign(window, { nfcPage });
