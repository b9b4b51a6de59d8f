import { AgentConnection } from '../base/agent-connection.ts';
import type { Records } from '../base/limited-log.ts';
import { errorMessage } from '../base/system-error.ts';
import type { Driver, DriverOptions, IoEvent } from './driver.ts';
import { CommandError } from './errors.ts';
import { InputQueue } from './input-queue.ts';
import { Command, type KINDS, PROTOCOL } from './protocol.ts';

const KIB = 1024;
/** Longest command: a transfer of 512 KiB in base64, and some fields. In bytes. */
const MAX_LINE_BYTES = 720 * KIB;
const MAX_UNREAD_BYTES = 16 * KIB * KIB;
/** What the agent may not have read when it gets another input report, in bytes. */
const MAX_UNREAD_INPUT_BYTES = 256 * KIB;

export interface ProgramOptions {
  kind: (typeof KINDS)[number];
  /** The agent's socket. */
  socket: string;
  watch: DriverOptions['watch'];
  log: Records;
}

/** Does what the agent asks for with peripherals of one kind. */
export class Program {
  readonly #driver: Driver;
  readonly #connection: AgentConnection;
  readonly #inputs: InputQueue;
  readonly #log: Records;
  /** What the agent of the last connection had open is closed. */
  #closed = Promise.resolve();

  constructor(
    { kind, socket, watch, log }: ProgramOptions,
    createDriver: (options: DriverOptions) => Driver,
  ) {
    this.#log = log;
    this.#driver = createDriver({ emit: (event) => this.#report(event), watch });
    this.#connection = new AgentConnection({
      ...{ path: socket, hello: { protocol: PROTOCOL, kind, pid: process.pid }, log },
      ...{ maxLineBytes: MAX_LINE_BYTES, maxUnreadBytes: MAX_UNREAD_BYTES },
      connected: () => undefined,
      disconnected: () => this.#closeAll(),
      drained: () => this.#inputs.flush(),
      take: (message, answer) => this.#take(message, answer),
    });
    this.#inputs = new InputQueue({
      hasRoom: () => this.#connection.unreadBytes <= MAX_UNREAD_INPUT_BYTES,
      send: (report) => this.#connection.send(report),
      dropping: () => log.warn({ kind }, 'the agent reads too slowly, input reports are dropped'),
    });
  }

  start(): void {
    this.#connection.start();
  }

  async stop(): Promise<void> {
    this.#connection.stop();
    await this.#closed;
    await this.#driver.closeAll();
  }

  #closeAll(): void {
    this.#inputs.clear();
    this.#closed = this.#driver.closeAll();
  }

  /** An agent that started again numbers its commands anew, and must not get an answer of the one before. */
  #take(message: unknown, answer: (message: object) => void): void {
    if (!Command.fits(message)) {
      this.#log.warn({}, 'a message of the agent is no command');
      return;
    }
    const { id, command } = message;
    this.#closed
      .then(() => this.#driver.execute(command, message))
      .then(
        (fields) => answer({ ...fields, id, ok: true }),
        (error: unknown) => {
          if (!(error instanceof CommandError)) {
            this.#log.error({ err: error, command }, 'a command failed unexpectedly');
          }
          const name = error instanceof CommandError ? error.name : 'NetworkError';
          answer({ id, ok: false, name, message: errorMessage(error).slice(0, 512) });
        },
      );
  }

  #report(event: IoEvent): void {
    if (event.event === 'input') this.#inputs.push(event);
    else this.#connection.send(event);
  }
}
