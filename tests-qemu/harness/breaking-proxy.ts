import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy whose connections a test can break, and that counts what it passes on. */
export class BreakingProxy {
  readonly #server: Server;
  readonly #target: { host: string; port: number };
  readonly #open = new Set<Socket>();
  #isDown = false;
  #breakAfter: number | undefined;
  #toClients = 0;
  #breaks = 0;

  /** @param target where connections lead */
  constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  /** @param host to listen on @param port 0: a free one */
  async start(host = '127.0.0.1', port = 0): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return this.port;
  }

  get port(): number {
    // A server on TCP that listens has an address of this type.
    const { port } = this.#server.address() as AddressInfo;
    return port;
  }

  /** Bytes sent to clients. */
  get bytesToClients(): number {
    return this.#toClients;
  }

  /** How often connections were broken. */
  get breaks(): number {
    return this.#breaks;
  }

  /** Resets all connections. New ones are reset, too, until `restore`. */
  break(): void {
    this.#isDown = true;
    this.#breaks += 1;
    for (const socket of this.#open) reset(socket);
  }

  /** Breaks as soon as so many more bytes were sent to clients. */
  breakAfter(bytes: number): void {
    this.#breakAfter = this.#toClients + bytes;
  }

  restore(): void {
    this.#isDown = false;
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    if (this.#isDown) {
      reset(client);
      return;
    }
    const upstream = connect(this.#target);
    for (const socket of [client, upstream]) {
      this.#open.add(socket);
      socket.setNoDelay();
      socket.on('error', () => undefined); // it closes
      socket.on('close', () => this.#open.delete(socket));
    }
    client.on('close', () => upstream.destroy());
    upstream.on('close', (hadError) => {
      if (hadError) reset(client);
      else client.end();
    });
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => this.#pass(chunk, client, upstream));
    client.on('drain', () => upstream.resume());
  }

  #pass(chunk: Buffer, client: Socket, upstream: Socket): void {
    this.#toClients += chunk.length;
    if (!client.write(chunk)) upstream.pause();
    if (this.#breakAfter === undefined || this.#toClients < this.#breakAfter) return;
    this.#breakAfter = undefined;
    this.break();
  }
}

/** Node 24 never exits after a reset of a socket that is just ending (`end`); its end is near anyway. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
