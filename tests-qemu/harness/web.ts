import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { HOST_ADDRESS } from '../../ci/qemu/arguments.ts';
import { waitFor } from '../../testing/wait.ts';

/** A request that a server has got. To a proxy, `url` is the whole address, or host and port of a tunnel. */
export interface RecordedRequest {
  url: string;
  headers: IncomingHttpHeaders;
}

/** A web server or proxy on this computer that records the requests that it gets. */
export class RecordingServer {
  readonly requests: RecordedRequest[] = [];
  /** Documents by path; undefined: no answer at all. Any other path is 404. */
  readonly documents = new Map<string, string | undefined>();
  headers: Record<string, string> = {};
  readonly #server: Server;
  readonly #scheme: string;

  /** @param tls its key and certificate, and whatever else differs from Node's defaults */
  static async start(tls?: ServerOptions): Promise<RecordingServer> {
    const web = new RecordingServer(tls);
    web.#server.listen(0, '127.0.0.1');
    await once(web.#server, 'listening');
    return web;
  }

  private constructor(tls: ServerOptions | undefined) {
    const answer: RequestListener = ({ url = '', headers }, response) => {
      this.requests.push({ url, headers });
      const path = url.replace(/\?.*/, '');
      const text = this.documents.get(path);
      if (text === undefined && this.documents.has(path)) return;
      response.writeHead(text === undefined ? 404 : 200, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        ...this.headers,
      });
      response.end(text);
    };
    this.#scheme = tls ? 'https' : 'http';
    this.#server = tls ? createTlsServer(tls, answer) : createServer(answer);
    this.#server.on('connect', ({ url = '', headers }, socket) => {
      this.requests.push({ url, headers });
      socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
    });
  }

  get port(): number {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('the server does not listen');
    return address.port;
  }

  /** Its origin as seen from the device. */
  get origin(): string {
    return `${this.#scheme}://${HOST_ADDRESS}:${this.port}`;
  }

  /** Waits for a request from index `from` on whose URL starts with `start`. */
  async waitForRequest(start: string, from: number, timeoutMs: number): Promise<RecordedRequest> {
    return await waitFor(() => this.requests.slice(from).find(({ url }) => url.startsWith(start)), {
      timeoutMs,
      what: `a request for ${start}`,
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
