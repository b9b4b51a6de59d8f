import type { Logger } from '../base/logger.ts';

/** What a page gets for a `vitrine:` URI. */
export interface PageResource {
  contentType: string;
  /** Another one for other bytes. */
  version: string;
  read: () => Promise<Buffer>;
}

/** Finds what a `vitrine:` URI names; undefined when there is no such thing. Any page may ask. */
export type ResourceSource = (uri: string) => Promise<PageResource | undefined>;

/** Answered at once; the rest waits, because a page may ask often and an answer may be megabytes. */
const AT_ONCE = 2;
const MOST_WAITING = 64;
/** In base64 it must fit into a line to the browser (browser/PROTOCOL.md). */
const MAX_BYTES = 5_900_000;
const FIND_MS = 10_000;
/** So long the last answer is kept for the next request, in ms. */
const KEEP_MS = 10_000;

interface Request {
  request: number;
  uri: string;
}

/** As it is told to the browser. */
interface Encoded {
  content_type: string;
  /** In base64. */
  data: string;
}

export interface PageResourcesOptions {
  source: ResourceSource;
  /** Tells the browser; resolves when it has taken the answer. */
  answer: (fields: { request: number; content_type?: string; data?: string }) => Promise<unknown>;
  log: Logger;
  /** How long a resource may take to be found, in ms. */
  findMs?: number;
  /** How long an answer is kept for who asks for the same, in ms. */
  keepMs?: number;
}

/** Answers what pages fetch from `vitrine:`, the splash image for one. */
export class PageResources {
  readonly #o: PageResourcesOptions;
  #waiting: Request[] = [];
  #busy = 0;
  /** Another browser counts its requests anew. */
  #browsers = 0;
  /** The answer that was given last: a page that asks in a loop costs no reading and no encoding. */
  #last: { version: string; encoded: Promise<Encoded> } | undefined;
  #forgetLast: NodeJS.Timeout | undefined;

  constructor(options: PageResourcesOptions) {
    this.#o = options;
  }

  take(request: Request): void {
    if (this.#waiting.length >= MOST_WAITING) void this.#refuse(request);
    else this.#waiting.push(request);
    this.#next();
  }

  /** The browser that asked is gone. */
  forget(): void {
    this.#waiting = [];
    this.#browsers += 1;
  }

  #next(): void {
    if (this.#busy >= AT_ONCE) return;
    const request = this.#waiting.shift();
    if (!request) return;
    this.#busy += 1;
    void this.#serve(request).finally(() => {
      this.#busy -= 1;
      this.#next();
    });
  }

  async #serve(request: Request): Promise<void> {
    const browser = this.#browsers;
    const found = await this.#find(request.uri);
    if (browser !== this.#browsers) return;
    if (!found) return this.#refuse(request);
    await this.#answer({ request: request.request, ...found });
  }

  async #find(uri: string): Promise<Encoded | undefined> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('it was not found in time')), this.#o.findMs ?? FIND_MS);
    try {
      return await Promise.race([this.#encoded(uri), late]);
    } catch (error) {
      this.#o.log.warn({ err: error, uri: uri.slice(0, 200) }, 'a page did not get what it asked for');
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  async #encoded(uri: string): Promise<Encoded | undefined> {
    const found = await this.#o.source(uri);
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
    }, this.#o.keepMs ?? KEEP_MS);
    this.#forgetLast.unref();
    return await this.#last.encoded;
  }

  #refuse({ request }: Request): Promise<void> {
    return this.#answer({ request });
  }

  /** A browser that does not take the answer has gone, or is told by others. */
  async #answer(fields: Parameters<PageResourcesOptions['answer']>[0]): Promise<void> {
    await this.#o.answer(fields).catch(() => undefined);
  }
}

async function encode({ contentType, read }: PageResource): Promise<Encoded> {
  const data = await read();
  if (data.length > MAX_BYTES) throw new Error(`it has ${data.length} bytes`);
  return { content_type: contentType, data: data.toString('base64') };
}
