import type { PageNfc } from '../nfc/page-nfc.ts';
import { PageError } from '../page/page-error.ts';
import type { PageEvent, Request } from './page-protocol.ts';

/** NFC calls of a page. */
export type TagRequest = Extract<Request, { call: `nfc.${string}` }>;

export interface PageTagsOptions {
  nfc: Pick<PageNfc, 'scan' | 'stopScan' | 'write' | 'abortWrite' | 'transceive' | 'end'>;
  /** Whether the page may use NFC now. */
  mayUse: () => boolean;
  emit: (event: PageEvent) => Promise<void>;
}

/** What one document does with NFC tags. */
export class PageTags {
  readonly #options: PageTagsOptions;

  constructor(options: PageTagsOptions) {
    this.#options = options;
  }

  /** @throws PageError */
  async perform(request: TagRequest): Promise<object> {
    const { nfc, mayUse, emit } = this.#options;
    if (!mayUse()) throw new PageError('NotAllowedError', 'The page may not use NFC.');
    switch (request.call) {
      case 'nfc.scan':
        await nfc.scan((reading) => void emit(reading));
        return {};
      case 'nfc.stop':
        nfc.stopScan();
        return {};
      case 'nfc.write':
        await nfc.write(request.message, { overwrite: request.overwrite });
        return {};
      case 'nfc.abort_write':
        nfc.abortWrite();
        return {};
      case 'nfc.transceive':
        return { response: await nfc.transceive(request.apdu) };
    }
  }

  /** The rules have changed: what a page does that may not use NFC any more is aborted. */
  refresh(): void {
    if (!this.#options.mayUse()) this.end();
  }

  /** The page was left. */
  end(): void {
    this.#options.nfc.end();
  }
}
