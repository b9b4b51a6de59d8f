/** The serial link: the whole API as NDJSON on one port (docs/api.md: Serial frames). */
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../base/logger.ts';
import { API_VERSION } from '../../contract/api.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import type { EventBus } from '../../events/bus.ts';
import { errorFrame, type SendToPage } from '../../events/session.ts';
import type { SerialPort } from './port.ts';
import type { SerialHandler, SerialLine } from './pump.ts';
import { SerialSession } from './session.ts';
import { openShell, type Shell } from './shell.ts';

/** On a port that cannot detect hosts, one that sends after so long a silence may be new and is greeted, in ms. */
const SILENCE_MS = 60_000;

export interface SerialLinkOptions {
  /** Must be ready. */
  app: FastifyInstance;
  endpoints: readonly Endpoint[];
  bus: EventBus;
  sendToPage: SendToPage;
  log: Logger;
  /** Fields of the hello line; called for each, since the name may change. */
  identity: () => { serial: string; name: string; model: string; version: string };
  /** Opens the port with the link as its handler. */
  openPort: (handler: SerialHandler) => SerialPort;
  /** What `{"type":"shell"}` runs; the login shell by default. */
  shellCommand?: readonly [string, ...string[]];
  /** How long an upload may receive nothing before it fails, in ms. */
  uploadIdleMs?: number;
}

export class SerialLink {
  readonly #options: SerialLinkOptions;
  readonly #port: SerialPort;
  /** What takes the host's input: none before the port is open. */
  #receiver: SerialSession | Shell | undefined;
  #lastInputAt = 0;

  constructor(options: SerialLinkOptions) {
    this.#options = options;
    this.#port = options.openPort({
      onOpen: (line) => this.#open(line),
      onData: (bytes, line) => this.#take(bytes, line),
      onClose: () => this.#end(),
    });
  }

  /** Begins a new session; nothing of an earlier one is kept. */
  #open(line: SerialLine): void {
    this.#end();
    this.#lastInputAt = performance.now();
    this.#greet(line);
    this.#receiver = new SerialSession({
      ...this.#options,
      line,
      hello: () => this.#hello(),
      restart: () => {
        const { path } = this.#port;
        this.#options.log.warn({ path }, 'a host does not read its events: its session is restarted');
        this.#open(line);
      },
      openShell: (rest) => this.#openShell(line, rest),
    });
  }

  #hello(): string {
    const { serial, name, ...rest } = this.#options.identity();
    return JSON.stringify({ type: 'hello', serial, api: API_VERSION, name, ...rest });
  }

  #greet(line: SerialLine): void {
    void line.write(`${this.#hello()}\n`);
  }

  #take(bytes: Buffer, line: SerialLine): void {
    const silence = performance.now() - this.#lastInputAt;
    this.#lastInputAt += silence;
    const mayBeNew = silence > SILENCE_MS && !line.detectsHost;
    if (mayBeNew && this.#receiver instanceof SerialSession) this.#greet(line);
    this.#receiver?.write(bytes);
  }

  /** @param rest what the host sent after the line that asked for the shell */
  #openShell(line: SerialLine, rest: Buffer): void {
    const { log, shellCommand } = this.#options;
    let shell: Shell;
    try {
      shell = openShell({
        command: shellCommand,
        output: (bytes) => line.write(bytes),
        onExit: () => {
          // The shell's last output may lack its line feed.
          void line.write('\n');
          this.#open(line);
        },
      });
    } catch (error) {
      log.error({ err: error }, 'support shell cannot be opened');
      const refusal = new ApiError('unavailable', 'No shell can be opened on this device now.');
      void line.write(`${errorFrame(refusal)}\n`);
      this.#receiver?.write(rest);
      return;
    }
    log.info({ path: this.#port.path }, 'support shell opened');
    this.#end();
    this.#receiver = shell;
    shell.write(rest);
  }

  #end(): void {
    this.#receiver?.close();
    this.#receiver = undefined;
  }

  /** Ends the session and closes the port. */
  async close(): Promise<void> {
    await this.#port.close();
    this.#end();
  }
}
