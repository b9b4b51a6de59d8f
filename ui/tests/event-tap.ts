/** A way from the browser to the agent on which a test adds events, as if the device had sent them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

export class EventTap {
  readonly #port: number;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((from, to) => this.#pass(from, to));
    this.#server.on('upgrade', (from, socket, head) => this.#upgrade(from, socket, head));
  }

  /** @param api of the agent */
  static async open(api: string): Promise<EventTap> {
    const tap = new EventTap(Number(new URL(api).port));
    tap.#server.listen(0, '127.0.0.1');
    await once(tap.#server, 'listening');
    return tap;
  }

  /** Where the browser finds the agent. */
  get origin(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the tap is closed');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Sends events to all pages that have come this way. */
  emit(topic: string, payloads: readonly unknown[]): void {
    const ts = new Date().toISOString();
    for (const payload of payloads) {
      const frame = JSON.stringify({ type: 'event', topic, ts, payload });
      for (const client of this.#sockets.clients) client.send(frame);
    }
  }

  async close(): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(from: IncomingMessage, to: ServerResponse): void {
    const { method, url, headers } = from;
    const target = { host: '127.0.0.1', port: this.#port, method, path: url, headers };
    const call = request(target, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    call.on('error', () => to.destroy());
    from.pipe(call);
  }

  /** The agent sees the browser's own Host and Origin. */
  #upgrade(from: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { host = '', origin = '' } = from.headers;
    const far = new WebSocket(`ws://127.0.0.1:${this.#port}${from.url}`, { headers: { host, origin } });
    far.on('error', () => socket.destroy());
    far.once('open', () =>
      this.#sockets.handleUpgrade(from, socket, head, (near) => {
        near.on('message', (data) => far.send(String(data)));
        far.on('message', (data) => near.send(String(data)));
        near.on('close', () => far.close());
        near.on('error', () => far.close());
        far.on('close', () => near.close());
      }),
    );
  }
}
