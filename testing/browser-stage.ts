import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineSplitter } from '../agent/src/base/line-splitter.ts';
import { createLogger, type Logger } from '../agent/src/base/logger.ts';
import type { BrowserEvent } from '../agent/src/resources/display/ports.ts';
import type { PageEvent } from '../agent/src/resources/page/ports.ts';
import type { DeviceChannelEvent } from '../agent/src/resources/peripherals/ports.ts';
import type { FindAsset } from '../agent/src/system/browser/page-assets.ts';
import { BrowserSocket } from '../agent/src/system/browser/socket.ts';
import { waitFor } from './wait.ts';

export const HELLO = { event: 'hello', protocol: 4, pid: 7, webkit: '2.54.2', uri: null };

const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** What the browser can report; the first two are of the connection. */
export const KINDS = [
  'connected',
  'disconnected',
  'load',
  'load_failed',
  'painted',
  'page_gone',
  'channel',
  'message',
  'device_channel',
  'device_message',
] as const;

export type Command = Record<string, unknown> & { id: number; command: string };

/** Waits for a condition of a test. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  await waitFor(condition, { timeoutMs: 60_000, what, intervalMs: 2 });
}

/** The agent's end on a real unix socket, and browsers that connect to it. */
export class BrowserStage {
  readonly browser: BrowserSocket;
  readonly path: string;
  readonly events: (BrowserEvent | PageEvent | DeviceChannelEvent)[] = [];
  /** Answers what pages fetch; replace it before the fetch. */
  find: FindAsset = () => undefined;
  readonly #folder: string;
  readonly #peers: Socket[] = [];

  static async create(log: Logger = createLogger('silent')): Promise<BrowserStage> {
    return new BrowserStage(await mkdtemp(join(tmpdir(), 'vitrine-browser-')), log);
  }

  private constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.path = join(folder, 'browser.sock');
    this.browser = new BrowserSocket(this.path, log);
    this.browser.serveAssets((uri) => this.find(uri));
    this.browser.on(KINDS, (event) => this.events.push(event));
  }

  /** A browser that has connected and said nothing. @param answer what it answers to a command */
  connect(answer?: (command: Command) => object | undefined): Socket {
    const socket = connect(this.path);
    socket.on('error', () => undefined);
    this.#peers.push(socket);
    const lines = new LineSplitter(MAX_LINE_BYTES);
    socket.on('data', (chunk) =>
      lines.forEach(chunk, (line) => {
        const command: Command = JSON.parse(line.toString());
        const fields = answer?.(command);
        if (fields) send(socket, { id: command.id, ...fields });
      }),
    );
    return socket;
  }

  /** A browser that has said hello. */
  async greet(answer?: (command: Command) => object | undefined): Promise<Socket> {
    const socket = this.connect(answer);
    send(socket, HELLO);
    await until('hello', () => this.browser.connected);
    return socket;
  }

  async close(): Promise<void> {
    for (const peer of this.#peers) peer.destroy();
    await this.browser.stop();
    await rm(this.#folder, { recursive: true });
  }
}

/** Sends a message as the browser. */
export function send(socket: Socket, message: unknown): void {
  socket.write(`${JSON.stringify(message)}\n`);
}

/** Sends a message whose member `field` comes in parts. */
export function sendInParts(socket: Socket, message: object, field: string, parts: readonly string[]): void {
  for (const [part, data] of parts.entries()) send(socket, { body: 1, part, data });
  send(socket, { ...message, field, body: 1, parts: parts.length });
}
