import type { PeripheralBrowser } from '../../resources/peripherals/ports.ts';

/** As many as the browser takes (browser/PROTOCOL.md). */
const MAX_ORIGINS = 128;
const MAX_SCRIPT_BYTES = 256 * 1024;

interface ServedPages {
  origins: readonly string[];
  script: string;
}

export interface PageDevicesOptions {
  /** Tells the browser. */
  send: (fields: ServedPages) => Promise<unknown>;
}

/** Which pages get the channel for peripherals, and the script that gives them the interfaces. */
export class PageDevices {
  readonly #options: PageDevicesOptions;
  #served: ServedPages | undefined;

  constructor(options: PageDevicesOptions) {
    this.#options = options;
  }

  /** @throws RangeError for more than the browser takes */
  readonly serve: PeripheralBrowser['serveDevices'] = (origins, script) => {
    if (origins.length > MAX_ORIGINS) throw new RangeError(`${origins.length} origins are too many`);
    const bytes = Buffer.byteLength(script);
    if (bytes > MAX_SCRIPT_BYTES) throw new RangeError(`a script of ${bytes} bytes is too long`);
    this.#served = { origins: [...origins], script };
    this.#send(this.#served);
  };

  /** A browser has connected: it may be a new one, or know what an earlier agent has said. */
  connected(): void {
    if (this.#served) this.#send(this.#served);
  }

  /** Without a browser there is nothing to tell; the next one is told when it connects. */
  #send(served: ServedPages): void {
    this.#options.send(served).catch(() => undefined);
  }
}
