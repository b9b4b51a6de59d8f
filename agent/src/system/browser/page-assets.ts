import type { Records } from '../../base/limited-log.ts';
import { withTimeout } from '../../base/timeout.ts';
import type { PageAsset, PageAssetServer } from '../../resources/page/ports.ts';

/** Finds the asset of a `vitrine:` URI; undefined when there is none. Any page may ask. */
export type FindAsset = Parameters<PageAssetServer['serveAssets']>[0];

/** Requests answered at a time; an answer may be megabytes. */
const MAX_RUNNING = 2;
const MAX_WAITING = 64;
/** Of an asset; in base64 it must fit into a line to the browser (browser/PROTOCOL.md). */
const MAX_BYTES = 5_900_000;
const READ_MS = 10_000;
/** How long the last answer is cached, in ms. */
const KEEP_MS = 10_000;

interface Request {
  request: number;
  uri: string;
}

/** As it is sent to the browser. */
interface Encoded {
  content_type: string;
  /** In base64. */
  data: string;
}

export interface PageAssetsOptions {
  find: FindAsset;
  /** Sends an answer to the browser; resolves when the browser has it. */
  answer: (fields: { request: number; content_type?: string; data?: string }) => Promise<unknown>;
  log: Pick<Records, 'warn'>;
  /** How long an asset may take to be read, in ms. */
  readMs?: number;
  /** How long an answer is cached, in ms. */
  keepMs?: number;
}

/** Answers what pages fetch from `vitrine:`, for example the splash image. */
export class PageAssets {
  readonly #options: PageAssetsOptions;
  #waiting: Request[] = [];
  #running = 0;
  /** Counts the browsers: each numbers its requests from 1. */
  #browsers = 0;
  /** The last answer: a page that asks in a loop causes no reading and no encoding. */
  #last: { version: string; encoded: Promise<Encoded> } | undefined;
  #forgetLast: NodeJS.Timeout | undefined;

  constructor(options: PageAssetsOptions) {
    this.#options = options;
  }

  take(request: Request): void {
    if (this.#waiting.length >= MAX_WAITING) void this.#refuse(request);
    else this.#waiting.push(request);
    this.#next();
  }

  /** Drops the requests of a browser that has disconnected. */
  forget(): void {
    this.#waiting = [];
    this.#browsers += 1;
  }

  #next(): void {
    if (this.#running >= MAX_RUNNING) return;
    const request = this.#waiting.shift();
    if (!request) return;
    this.#running += 1;
    void this.#serve(request).finally(() => {
      this.#running -= 1;
      this.#next();
    });
  }

  async #serve(request: Request): Promise<void> {
    const browser = this.#browsers;
    const found = await this.#read(request.uri);
    if (browser !== this.#browsers) return;
    if (!found) return this.#refuse(request);
    await this.#answer({ request: request.request, ...found });
  }

  async #read(uri: string): Promise<Encoded | undefined> {
    try {
      return await withTimeout(this.#encoded(uri), this.#options.readMs ?? READ_MS);
    } catch (error) {
      this.#options.log.warn({ err: error, uri: uri.slice(0, 200) }, 'an asset for a page could not be read');
      return undefined;
    }
  }

  async #encoded(uri: string): Promise<Encoded | undefined> {
    const found = this.#options.find(uri);
    if (!found) return undefined;
    const { version } = found;
    if (this.#last?.version !== version) {
      const encoded = encode(found);
      this.#last = { version, encoded };
      encoded.catch(() => {
        if (this.#last?.encoded === encoded) this.#last = undefined;
      });
    }
    clearTimeout(this.#forgetLast);
    this.#forgetLast = setTimeout(() => {
      this.#last = undefined;
    }, this.#options.keepMs ?? KEEP_MS);
    this.#forgetLast.unref();
    return await this.#last.encoded;
  }

  #refuse({ request }: Request): Promise<void> {
    return this.#answer({ request });
  }

  /** A browser that has disconnected needs no answer. */
  async #answer(fields: Parameters<PageAssetsOptions['answer']>[0]): Promise<void> {
    await this.#options.answer(fields).catch(() => undefined);
  }
}

async function encode({ contentType, read }: PageAsset): Promise<Encoded> {
  const data = await read();
  if (data.length > MAX_BYTES) throw new Error(`${data.length} bytes are too many`);
  return { content_type: contentType, data: data.toString('base64') };
}
