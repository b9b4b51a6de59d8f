/** The serial link: the whole interface as NDJSON on one port (interface: Serial transport). */
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../base/logger.ts';
import { API_VERSION } from '../../contract/api.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { EventBus } from '../../events/bus.ts';
import { errorFrame } from '../../events/session.ts';
import type { SerialPort, SerialPortHandler } from './port.ts';
import { SerialSession } from './session.ts';
import { openShell, type Shell } from './shell.ts';

/** On a port that cannot detect hosts, one that sends after so long a silence may be new and is greeted, in ms. */
const SILENCE_MS = 60_000;

/** Fields of the hello line. */
export interface Identity {
  serial: string;
  name: string;
}

export interface SerialLinkOptions {
  /** Must be ready. */
  app: FastifyInstance;
  endpoints: readonly Endpoint[];
  bus: EventBus;
  log: Logger;
  /** Called for each hello, since the name may change. */
  identity: () => Identity;
  /** Opens the port with the link as its handler. */
  openPort: (handler: SerialPortHandler) => SerialPort;
  /** What `{"type":"shell"}` runs; the login shell by default. */
  shellCommand?: readonly [string, ...string[]];
  /** Takes a host's `page_message`; throws ApiError when there is no channel. Absent: not wired. */
  onPageMessage?: (payload: unknown) => void;
  /** How long an upload may receive nothing before it fails, in ms. */
  uploadIdleMs?: number;
}

export class SerialLink {
  readonly #options: SerialLinkOptions;
  readonly #port: SerialPort;
  #session: SerialSession | undefined;
  #shell: Shell | undefined;
  #lastInputAt = 0;

  constructor(options: SerialLinkOptions) {
    this.#options = options;
    this.#port = options.openPort({
      onOpen: () => this.#open(),
      onData: (bytes) => this.#take(bytes),
      onClose: () => this.#end(),
    });
  }

  get path(): string {
    return this.#port.path;
  }

  /** Begins a new session; nothing of an earlier one is kept. */
  #open(): void {
    this.#end();
    this.#lastInputAt = performance.now();
    this.#greet();
    const { app, endpoints, bus, log, uploadIdleMs, onPageMessage } = this.#options;
    const port = this.#port;
    this.#session = new SerialSession({
      app,
      endpoints,
      bus,
      log,
      uploadIdleMs,
      onPageMessage,
      port,
      restart: () => {
        log.warn({ path: port.path }, 'a host does not read its events: its session is restarted');
        this.#open();
      },
      openShell: (rest) => this.#openShell(rest),
    });
  }

  #greet(): void {
    const { serial, name } = this.#options.identity();
    void this.#port.write(`${JSON.stringify({ type: 'hello', serial, api: API_VERSION, name })}\n`);
  }

  #take(bytes: Buffer): void {
    const now = performance.now();
    const silence = now - this.#lastInputAt;
    this.#lastInputAt = now;
    if (this.#shell) {
      this.#shell.write(bytes);
      return;
    }
    if (silence > SILENCE_MS && !this.#port.detectsHost) this.#greet();
    this.#session?.take(bytes);
  }

  /** @param rest what the host sent after the line that asked for the shell */
  #openShell(rest: Buffer): void {
    const { log, shellCommand } = this.#options;
    try {
      this.#shell = openShell({
        command: shellCommand,
        output: (bytes) => this.#port.write(bytes),
        onExit: () => {
          // The shell's last output may lack its line feed.
          void this.#port.write('\n');
          this.#open();
        },
      });
    } catch (error) {
      log.error({ err: error }, 'support shell cannot be opened');
      void this.#port.write(`${errorFrame('unavailable', 'No shell can be opened on this device now.')}\n`);
      this.#session?.take(rest);
      return;
    }
    log.info({ path: this.#port.path }, 'support shell opened');
    this.#session?.close();
    this.#session = undefined;
    this.#shell.write(rest);
  }

  #end(): void {
    this.#session?.close();
    this.#session = undefined;
    this.#shell?.close();
    this.#shell = undefined;
  }

  /** Ends the session and closes the port. */
  async close(): Promise<void> {
    await this.#port.close();
    this.#end();
  }
}
