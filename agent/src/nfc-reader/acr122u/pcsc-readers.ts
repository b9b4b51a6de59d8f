import type { EventEmitter } from 'node:events';
import { Backoff } from '../../base/backoff.ts';
import type { Records } from '../../base/limited-log.ts';
import { errorMessage } from '../../base/system-error.ts';
import type { Watch } from '../../base/watch.ts';
import { type Device, PcscReader } from './field.ts';
import { Client } from './pcsc.ts';
import { readerId, type readUsbDevices } from './reader-id.ts';

/** Between two clients of pcscd: the first pause and the longest, in ms. */
const RESTART_MS = [500, 15_000] as const;
/** A client without an error for so long has reached pcscd, in ms. */
const REACHED_MS = 2000;
/** What pcscd calls an ACR122U. */
const NAME = /ACR122/;
/** SCARD_ATTR_CHANNEL_ID: how the reader is connected. */
const CHANNEL_ID = 0x0002_0110;

/** A client of pcscd, as pcsc.ts has it: it emits nothing after its error. */
export interface PcscClient extends EventEmitter<{ reader: [Device]; hangs: [boolean]; error: [Error] }> {
  start(): void;
  stop(): void;
}

export interface PcscReadersOptions {
  /** A reader is connected. */
  connected(id: string, reader: PcscReader): void;
  /** What `problem` says is another one. */
  changed(): void;
  usbDevices: typeof readUsbDevices;
  createClient?: () => PcscClient;
  watch: Watch;
  log: Records;
}

/** The ACR122U readers of pcscd. Its client ends with pcscd, so another one is made then. */
export class PcscReaders {
  readonly #options: PcscReadersOptions;
  readonly #backoff = new Backoff(...RESTART_MS);
  readonly #readers = new Set<PcscReader>();
  #client: PcscClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #problem: string | undefined;

  constructor(options: PcscReadersOptions) {
    this.#options = options;
  }

  /** Why no reader can be found, as a sentence. */
  get problem(): string | undefined {
    return this.#problem;
  }

  start(): void {
    const { createClient = () => new Client() } = this.#options;
    try {
      const client = createClient();
      this.#client = client;
      client.on('error', (error) => {
        if (this.#client === client)
          this.#failed(`The PC/SC service (pcscd) is not available: ${error.message}`);
      });
      client.on('hangs', (hangs) => {
        if (this.#client === client)
          this.#setProblem(hangs ? 'The PC/SC service (pcscd) does not answer.' : undefined);
      });
      client.on('reader', (reader) => {
        if (this.#client !== client || !NAME.test(reader.name)) return;
        const known = new PcscReader(reader);
        this.#readers.add(known);
        reader.on('disconnect', () => this.#readers.delete(known));
        void this.#identify(reader, known);
      });
      this.#timer = setTimeout(() => this.#reached(), REACHED_MS);
      client.start();
    } catch (error) {
      this.#failed(errorMessage(error));
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#end();
  }

  #reached(): void {
    this.#backoff.reset();
    this.#setProblem(undefined);
  }

  #failed(problem: string): void {
    this.#setProblem(problem);
    this.#end();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.start(), this.#backoff.next());
  }

  #end(): void {
    const client = this.#client;
    this.#client = undefined;
    for (const reader of this.#readers) reader.leave();
    this.#readers.clear();
    try {
      client?.stop();
    } catch (error) {
      this.#options.log.debug({ err: error }, 'the PC/SC client could not be stopped');
    }
  }

  /** Finds out where the reader is connected. */
  async #identify(reader: Device, known: PcscReader): Promise<void> {
    const { connected, usbDevices, watch, log } = this.#options;
    let channel: Buffer | undefined;
    try {
      const card = await watch('Connecting to the reader', known.connectDirectly());
      channel = await watch('Asking the reader', card.attribute(CHANNEL_ID)).catch(() => undefined);
      await watch('Disconnecting from the reader', card.disconnect());
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, 'a reader does not say where it is connected');
    }
    const id = readerId(reader.name, channel, await usbDevices());
    if (known.isGone) return;
    this.#reached();
    connected(id, known);
  }

  #setProblem(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    if (problem !== undefined) this.#options.log.warn({ problem }, 'no PC/SC readers');
    this.#options.changed();
  }
}
