import { chmod, chown, mkdir, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Static } from 'typebox';
import { LineSplitter } from '../base/line-splitter.ts';
import type { Logger } from '../base/logger.ts';
import { fits } from '../contract/validate.ts';
import { Greeting, Hello, PROTOCOL } from './browser-messages.ts';
import { PartsReader } from './browser-parts.ts';

/** Group that may connect: the user of the browser. */
const GROUP = 'kiosk';
/** One browser, and some that are ending or starting. */
const MAX_CONNECTIONS = 8;
/** Longest line in bytes: a part, or an event with two texts of a page, all of it escaped. */
const MAX_LINE_BYTES = 1024 * 1024;
/** Longest text that comes in parts: a screenshot of a 4K screen full of noise, in base64. */
const MAX_BODY_LENGTH = 48 * 1024 * 1024;
/** A connection without a hello is closed after this time, in ms. */
const HELLO_MS = 30_000;
/** Another agent accepts a connection within this time, in ms. */
const PROBE_MS = 1000;

export type HelloMessage = Static<typeof Hello>;

export interface ListenerEvents {
  /** A browser said hello. */
  hello: (socket: Socket, hello: HelloMessage) => void;
  /** A message of a browser that said hello. */
  message: (socket: Socket, message: unknown) => void;
  close: (socket: Socket) => void;
}

/** The browser's unix socket: accepts connections and reads their messages. */
export class BrowserListener {
  readonly #path: string;
  readonly #log: Logger;
  readonly #events: ListenerEvents;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  /** The wrong version that was logged: a browser that is refused connects again at once. */
  #loggedProtocol: number | undefined;

  /** @param path of the socket, for example /run/vitrine/browser.sock */
  constructor(path: string, log: Logger, events: ListenerEvents) {
    this.#path = path;
    this.#log = log;
    this.#events = events;
  }

  /**
   * Creates the socket, and replaces one that a killed agent left.
   * @throws Error when another agent is running there: its browser could not connect to it any more
   */
  async start(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    if (await isServed(this.#path)) throw new Error(`another agent serves ${this.#path}`);
    await rm(this.#path, { force: true });
    const server = createServer((socket) => this.#accept(socket));
    server.maxConnections = MAX_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#path, resolve);
    });
    server.on('error', (error) => this.#log.error({ err: error }, "the browser's socket failed"));
    this.#server = server;
    const group = await groupId(GROUP);
    if (group !== undefined && process.getuid?.() === 0) await chown(this.#path, 0, group);
    await chmod(this.#path, 0o660);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    const lines = new LineSplitter(MAX_LINE_BYTES);
    const parts = new PartsReader(MAX_BODY_LENGTH);
    const helloTimer = setTimeout(() => socket.destroy(), HELLO_MS);
    let isGreeted = false;
    const take = (message: unknown): void => {
      if (isGreeted) this.#events.message(socket, message);
      else if (fits(Hello, message)) {
        clearTimeout(helloTimer);
        isGreeted = true;
        this.#loggedProtocol = undefined;
        this.#events.hello(socket, message);
      } else this.#refuse(socket, message);
    };
    socket.on('error', () => undefined); // close follows
    socket.on('data', (chunk) => {
      lines.push(chunk);
      for (let line = lines.next(); line && !socket.destroyed; line = lines.next()) {
        const message = parts.take(parse(line));
        if (message !== undefined) take(message);
      }
      if (lines.overlong > 0 && !socket.destroyed) {
        this.#log.warn({ limit: MAX_LINE_BYTES }, 'the browser sent a line that is too long');
        socket.destroy();
      }
    });
    socket.on('close', () => {
      clearTimeout(helloTimer);
      this.#sockets.delete(socket);
      this.#events.close(socket);
    });
  }

  #refuse(socket: Socket, message: unknown): void {
    if (fits(Greeting, message) && message.protocol !== this.#loggedProtocol) {
      this.#loggedProtocol = message.protocol;
      this.#log.error(
        { protocol: message.protocol, expected: PROTOCOL },
        'the browser speaks another version of the protocol; agent and browser must come from the same image',
      );
    }
    socket.destroy();
  }
}

/** @returns null for a line that is not JSON */
function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return null;
  }
}

/** The number of a group; undefined when this system does not have it. */
async function groupId(name: string): Promise<number | undefined> {
  const text = await readFile('/etc/group', 'utf8').catch(() => '');
  const fields = text
    .split('\n')
    .map((line) => line.split(':'))
    .find(([group]) => group === name);
  const id = Number(fields?.[2]);
  return Number.isInteger(id) ? id : undefined;
}

/** Whether a process accepts connections there. */
async function isServed(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  socket.setTimeout(PROBE_MS, () => resolve(false));
  const served = await promise;
  socket.destroy();
  return served;
}
