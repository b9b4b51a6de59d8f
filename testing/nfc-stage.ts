/** NFC without readers: the resource and its socket as in the agent, and a program that connects to it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { LineSplitter } from '../agent/src/base/line-splitter.ts';
import { createLogger } from '../agent/src/base/logger.ts';
import { BASE_PATH } from '../agent/src/contract/api.ts';
import type { Method } from '../agent/src/contract/endpoint.ts';
import { ApiError } from '../agent/src/contract/errors.ts';
import { EventBus } from '../agent/src/events/bus.ts';
import { createApp } from '../agent/src/links/app.ts';
import { endpoints } from '../agent/src/resources/contract.ts';
import { handleKey } from '../agent/src/resources/nfc/handles.ts';
import { Nfc } from '../agent/src/resources/nfc/nfc.ts';
import { PageNfc } from '../agent/src/resources/nfc/page-nfc.ts';
import type { ReaderSettings } from '../agent/src/resources/nfc/ports.ts';
import { nfcRoutes } from '../agent/src/resources/nfc/routes.ts';
import { nfcDisabled } from '../agent/src/resources/nfc/schema.ts';
import { ReaderProgramSocket } from '../agent/src/system/nfc/reader-program.ts';
import { waitFor } from './wait.ts';

const log = createLogger('silent');
const TOPICS = ['nfc_tag', 'nfc_tag_removed', 'nfc_reader_connected', 'nfc_reader_disconnected'];
const MAX_LINE_BYTES = 256 * 1024;

export const HELLO = { event: 'hello', protocol: 1, pid: 7 };
export const READER = {
  ...{ reader: 'pn532-i2c-1-24', backend: 'pn532-i2c', present: true },
  ...{ techs: ['iso-dep', 'ndef'], has_led: false, has_buzzer: false },
};
export const TAG = {
  ...{ event: 'tag', reader: READER.reader, tag: 1, uid: '04A1B2C3', atqa: '0344', sak: '20' },
  techs: ['iso-dep', 'ndef'],
};

export type NfcCommand = Record<string, unknown> & { id: number; command: string };
/** What the program answers; undefined: nothing. */
export type AnswerTo = (command: NfcCommand) => object | undefined | Promise<object | undefined>;

export class NfcStage {
  readonly bus = new EventBus();
  readonly events: { topic: string; payload: unknown }[] = [];
  readonly commands: NfcCommand[] = [];
  settings: ReaderSettings = {
    ...{ backend: 'auto', i2c: { bus: 1, address: 36 }, spi: { bus: 0, cs: 0 } },
    ...{ poll_ms: 250, feedback_on_detect: true },
  };
  isEnabled = true;
  recovered = 0;
  /** Whether the service of the program runs; it is started and stopped by the agent. */
  runs = false;
  /** Starting and stopping the service fails with this text. */
  serviceError: string | undefined;
  /** Starting and stopping the service waits for it. */
  serviceReady: Promise<void> = Promise.resolve();
  /** How often the agent has started it. */
  starts = 0;
  /** Whether a started program connects. */
  connects = true;
  readers: object[] = [READER];
  /** What the program says after its readers. */
  tags: object[] = [];
  answer: AnswerTo = () => ({ ok: true });
  nfc: Nfc;
  /** NFC of the displayed page. It waits for a reader for 100 ms. */
  page: PageNfc;
  socket: Socket | undefined;
  readonly folder: string;
  readonly #times: { connectMs: number; applyMs: number };
  #app: FastifyInstance;

  /** @param times in which the program connects and changes take effect */
  static async create(times = { connectMs: 10_000, applyMs: 9000 }): Promise<NfcStage> {
    return new NfcStage(await mkdtemp(join(tmpdir(), 'vitrine-nfc-')), times);
  }

  private constructor(folder: string, times: { connectMs: number; applyMs: number }) {
    this.folder = folder;
    this.#times = times;
    for (const topic of TOPICS) {
      this.bus.listen(topic, ({ payload }) => this.events.push({ topic, payload }));
    }
    ({ nfc: this.nfc, page: this.page, app: this.#app } = this.#agent());
  }

  get path(): string {
    return join(this.folder, 'nfc.sock');
  }

  #agent() {
    const service = { start: () => this.#startService(), stop: () => this.#stopService() };
    const program = new ReaderProgramSocket(this.path, service, log);
    const nfc = new Nfc({
      program,
      isEnabled: () => this.isEnabled,
      settings: () => this.settings,
      key: () => handleKey(join(this.folder, 'key'), log),
      bus: this.bus,
      recovered: () => {
        this.recovered += 1;
      },
      log,
      times: this.#times,
    });
    const routes = nfcRoutes(nfc, () => {
      if (!this.isEnabled) throw new ApiError(nfcDisabled);
    });
    const page = new PageNfc({ nfc, program, isEnabled: () => this.isEnabled, readerMs: 100 });
    return { nfc, page, app: createApp({ endpoints, routes, log }) };
  }

  /** The agent ends; the program, which goes on, connects to the next one. */
  async restartAgent(): Promise<void> {
    await this.nfc.stop();
    await this.#app.close();
    ({ nfc: this.nfc, page: this.page, app: this.#app } = this.#agent());
    this.nfc.start();
  }

  /** Starts the resource, and waits until it lists the readers. */
  async start(): Promise<void> {
    this.nfc.start();
    await this.until('the readers', () => this.nfc.list().length === this.readers.length);
  }

  /** The program connects and says hello. */
  connect(hello: object = HELLO): Socket {
    const socket = connect(this.path);
    this.socket = socket;
    socket.on('error', () => undefined);
    const lines = new LineSplitter(MAX_LINE_BYTES);
    socket.on('data', (chunk) => lines.forEach(chunk, (line) => void this.#take(socket, line)));
    this.send(hello);
    return socket;
  }

  send(...messages: object[]): void {
    for (const message of messages) this.socket?.write(`${JSON.stringify(message)}\n`);
  }

  async #take(socket: Socket, line: Buffer): Promise<void> {
    const command: NfcCommand = JSON.parse(line.toString());
    this.commands.push(command);
    const answer = await this.answer(command);
    if (!answer) return;
    socket.write(`${JSON.stringify({ id: command.id, ...answer })}\n`);
    if (command.command === 'configure') this.send({ event: 'readers', readers: this.readers }, ...this.tags);
  }

  async #startService(): Promise<void> {
    await this.serviceReady;
    if (this.serviceError !== undefined) throw new Error(this.serviceError);
    this.starts += 1;
    if (this.connects) this.connect();
    this.runs = true;
  }

  async #stopService(): Promise<void> {
    await this.serviceReady;
    if (this.serviceError !== undefined) throw new Error(this.serviceError);
    this.runs = false;
    this.socket?.destroy();
  }

  /** A request over HTTP. @param path below `/nfc` */
  async request(method: Method, path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const answer = await this.#app.inject({
      ...{ method, url: `${BASE_PATH}/nfc${path}` },
      ...(body === undefined ? {} : { payload: body }),
    });
    return { status: answer.statusCode, body: answer.json() };
  }

  /** The events of a topic so far. */
  on(topic: string): unknown[] {
    return this.events.filter((event) => event.topic === topic).map(({ payload }) => payload);
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    await waitFor(condition, { timeoutMs: 20_000, what, intervalMs: 2 });
  }

  async close(): Promise<void> {
    this.page.stop();
    await this.nfc.stop();
    this.socket?.destroy();
    await this.#app.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
