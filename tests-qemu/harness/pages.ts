import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { HOST_ADDRESS } from '../../ci/qemu/arguments.ts';
import type { Colour } from '../../testing/png.ts';

const MAX_REQUESTS = 10_000;

const hex = (colour: Colour): string => `#${Buffer.from(colour).toString('hex')}`;

/** The response for a page. */
interface PageAnswer {
  html: string | Buffer;
  status: number;
  headers: Record<string, string>;
}

/** A script of a page that reports its time zone to the page server whenever the page is loaded. */
export const REPORT_ZONE = `<script>
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const start = new Date(0);
  fetch('/zone?' + timeZone + ',' + start.getHours() + ':' + start.getMinutes());
</script>`;
/** A time zone whose local time at the epoch is unique: what `date -d @0 +%H:%M` prints, and the path of the report. */
export const ZONE = { name: 'Pacific/Chatham', shell: '12:45', report: '/zone?Pacific/Chatham,12:45' };

/** HTML of a page with a left and a right half in plain colours. */
export function coloursPage(left: Colour, right: Colour): string {
  return `<!doctype html><title>colours</title><style>html,body{margin:0;height:100%}
    body{background:linear-gradient(90deg,${hex(left)} 50%,${hex(right)} 50%)}</style>`;
}

/** Serves pages to the device's browser. Every page has its own path, so that loads can be counted. */
export class PageServer {
  readonly #server: Server;
  readonly #pages = new Map<string, PageAnswer>();
  /** The requested paths with query, in order. */
  readonly requests: string[] = [];
  /** Paths whose requests wait. */
  readonly #held = new Map<string, Promise<void>>();
  #lastPage = 0;

  static async start(): Promise<PageServer> {
    const pages = new PageServer();
    await new Promise<void>((resolve, reject) => {
      pages.#server.once('error', reject);
      pages.#server.listen(0, '127.0.0.1', resolve);
    });
    return pages;
  }

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** The server's origin as seen from the device. */
  get origin(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('the page server does not listen');
    return `http://${HOST_ADDRESS}:${address.port}`;
  }

  /** Adds a page, or a file of the type in `headers`, and returns its URL for the device. Addresses below it are the same. */
  add(html: string | Buffer, status = 200, headers: Record<string, string> = {}): string {
    const path = `/page-${++this.#lastPage}`;
    this.#pages.set(path, { html, status, headers });
    return this.origin + path;
  }

  /** Adds a page with two halves in plain colours. */
  addColours(left: Colour, right: Colour): string {
    return this.add(coloursPage(left, right));
  }

  /** Lets requests for a URL of `add` wait until the returned function is called. */
  hold(url: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(url.slice(this.origin.length), promise);
    return resolve;
  }

  /** How often a URL of `add` was loaded. */
  loads(url: string): number {
    return this.requests.filter((path) => this.origin + path === url).length;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.requests.length < MAX_REQUESTS) this.requests.push(request.url ?? '');
    const path = (request.url ?? '').replace(/\?.*/, '').replace(/^(\/page-\d+)\/.*/, '$1');
    const page = this.#pages.get(path);
    await this.#held.get(path);
    response.writeHead(page?.status ?? 404, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      ...page?.headers,
    });
    response.end(page?.html ?? '');
  }
}
