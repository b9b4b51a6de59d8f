import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** An HTTPS server that passes requests on to gooseBit, and says so in the header from which it makes its links. */
export class HttpsFront {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param port of gooseBit on 127.0.0.1 */
  static async start(identity: { cert: string; key: string }, port: number): Promise<HttpsFront> {
    const server = createServer(identity, (incoming, outgoing) => {
      const { method = 'GET', url: path = '/' } = incoming;
      const headers = { ...incoming.headers, 'x-forwarded-proto': 'https' };
      const onward = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        if (outgoing.destroyed) {
          answer.destroy(); // the device has given up meanwhile
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        pipeline(answer, outgoing, () => undefined); // a break destroys both
      });
      pipeline(incoming, onward, () => undefined);
      onward.on('error', () => outgoing.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new HttpsFront(server);
  }

  get port(): number {
    // A server on TCP that listens has an address of this type.
    const { port } = this.#server.address() as AddressInfo;
    return port;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}
