/** A network between the browser and the agent that a test can cut. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export class Gate {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #port: number;
  #isOpen = true;
  /** How long everything is on its way on new connections, in each direction, in ms. */
  latencyMs = 0;
  #isSilent = false;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
    server.on('connection', (socket) => this.#pass(socket));
  }

  /** @param port of the agent */
  static async open(port: number): Promise<Gate> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Gate(server, port);
  }

  /** Where the browser finds the agent. */
  get origin(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the gate is closed');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Ends all connections, and those that are tried. */
  cut(): void {
    this.#isOpen = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Connections stay, and nothing comes through them any more, as when a cable is pulled. */
  fallSilent(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** New connections work again, without delay. */
  mend(): void {
    this.latencyMs = 0;
    this.#isOpen = true;
    this.#isSilent = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(near: Socket): void {
    if (!this.#isOpen) return void near.destroy();
    const far = connect(this.#port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      if (this.latencyMs > 0) socket.pipe(delay(this.latencyMs)).pipe(other);
      else socket.pipe(other);
      if (this.#isSilent) socket.pause();
    }
  }
}

/** Gives everything back later. Any number of chunks are on their way at the same time. */
function delay(ms: number): Transform {
  return new Transform({
    transform(chunk, _encoding, done) {
      setTimeout(() => this.push(chunk), ms);
      done();
    },
    flush: (done) => void setTimeout(done, ms),
  });
}
