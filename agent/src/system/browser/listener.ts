import { chmod, chown, mkdir, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Static } from 'typebox';
import { Budget } from '../../base/budget.ts';
import type { Records } from '../../base/limited-log.ts';
import { LineSplitter } from '../../base/line-splitter.ts';
import { fits } from '../../contract/validate.ts';
import { Greeting, Hello, PROTOCOL } from './messages.ts';
import { objectOf } from './rules.ts';
import { ProtocolViolation } from './violation.ts';

/** Group that may connect: the user of the browser. */
const GROUP = 'kiosk';
/** One browser, and some that are ending or starting. */
const MAX_CONNECTIONS = 8;
/** Longest line in bytes: a part, or an event with two texts of a page, all of it escaped. */
const MAX_LINE_BYTES = 1024 * 1024;
/** A connection without a hello is closed after this time, in ms. */
const HELLO_MS = 30_000;
/** Browsers that say hello: on average, and at once. Further ones wait, and count as silent. */
const HELLOS = { perSecond: 5, atOnce: 20 };
const HELLO_AGAIN_MS = 50;
/** What a browser may send; above it, the agent reads it slower. A page that loads itself all the time sends less. */
const EVENTS = { perSecond: 300, atOnce: 600 };
const BYTES = { perSecond: 32 * 1024 * 1024, atOnce: 64 * 1024 * 1024 };
/** Another agent accepts a connection within this time, in ms. */
const PROBE_MS = 1000;

export type HelloMessage = Static<typeof Hello>;

/** Takes a line of a browser. @returns what it costs, compared with an event @throws ProtocolViolation */
export type TakeLine = (line: Buffer) => number;

export interface ListenerEvents {
  /** A browser said hello. @returns what takes its further lines */
  hello: (socket: Socket, hello: HelloMessage) => TakeLine;
  close: (socket: Socket) => void;
}

/**
 * The browser's unix socket: accepts connections and reads their lines. Nothing tells the browser from another process
 * of its user, which could run or trace the browser anyway, so the latest one is believed: a new connection takes the
 * place of the oldest that has said nothing, and a new hello replaces the browser before.
 */
export class BrowserListener {
  readonly #path: string;
  readonly #log: Records;
  readonly #events: ListenerEvents;
  readonly #sockets = new Set<Socket>();
  /** Those without a hello, the oldest first. */
  readonly #silent = new Set<Socket>();
  readonly #hellos = new Budget(HELLOS.perSecond, HELLOS.atOnce);
  #server: Server | undefined;
  /** The wrong version that was logged: a browser that is refused connects again at once. */
  #loggedProtocol: number | undefined;

  /** @param path of the socket, for example /run/vitrine/browser.sock */
  constructor(path: string, log: Records, events: ListenerEvents) {
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
    this.#makeRoom();
    this.#sockets.add(socket);
    this.#silent.add(socket);
    const read = this.#reader(socket);
    const helloTimer = setTimeout(() => {
      if (this.#silent.has(socket)) socket.destroy();
    }, HELLO_MS);
    let resumeTimer: NodeJS.Timeout | undefined;
    const readOn = (chunk?: Buffer): void => {
      try {
        const wait = read(chunk);
        if (wait === 0) {
          socket.resume();
          return;
        }
        socket.pause();
        resumeTimer = setTimeout(readOn, wait);
      } catch (error) {
        // After any other failure, too: what was read may be half taken, and a new connection begins again.
        socket.destroy();
        if (error instanceof ProtocolViolation) {
          this.#log.warn({ reason: error.message }, 'the browser broke the protocol');
        } else this.#log.error({ err: error }, 'a message of the browser could not be taken');
      }
    };
    socket.on('error', () => undefined); // close follows
    socket.on('data', readOn);
    socket.on('close', () => {
      clearTimeout(helloTimer);
      clearTimeout(resumeTimer);
      this.#sockets.delete(socket);
      this.#silent.delete(socket);
      this.#events.close(socket);
    });
  }

  /** Closes the oldest connection that has said nothing, when there are too many. */
  #makeRoom(): void {
    const [oldest] = this.#silent;
    if (!oldest || this.#sockets.size < MAX_CONNECTIONS) return;
    oldest.destroy();
    this.#silent.delete(oldest);
    this.#sockets.delete(oldest);
  }

  /** Reads what a connection sends, or goes on after a pause. The result says how long to read no more, in ms. */
  #reader(socket: Socket): (chunk?: Buffer) => number {
    const lines = new LineSplitter(MAX_LINE_BYTES);
    const events = new Budget(EVENTS.perSecond, EVENTS.atOnce);
    const bytes = new Budget(BYTES.perSecond, BYTES.atOnce);
    let first: Buffer | undefined;
    let take: TakeLine | undefined;
    return (chunk) => {
      let wait = bytes.spend(chunk?.length ?? 0);
      if (chunk) lines.push(chunk);
      first ??= copyOf(lines.next());
      if (first && !take && !socket.destroyed) {
        if (!this.#hellos.take()) return HELLO_AGAIN_MS;
        take = this.#greet(socket, first);
      }
      while (take && wait === 0 && !socket.destroyed) {
        const line = lines.next();
        if (!line) break;
        wait = events.spend(take(line));
      }
      if (lines.overlong > 0) throw new ProtocolViolation(`a line has more than ${MAX_LINE_BYTES} bytes`);
      return wait;
    };
  }

  /** Takes the first line. @returns what takes the others; undefined when the connection was closed */
  #greet(socket: Socket, line: Buffer): TakeLine | undefined {
    const hello = objectOf(line);
    if (fits(Hello, hello)) {
      this.#silent.delete(socket);
      this.#loggedProtocol = undefined;
      return this.#events.hello(socket, hello);
    }
    if (!fits(Greeting, hello)) throw new ProtocolViolation('the first message is no hello');
    if (hello.protocol !== this.#loggedProtocol) {
      this.#loggedProtocol = hello.protocol;
      this.#log.error(
        { protocol: hello.protocol, expected: PROTOCOL },
        'the browser speaks another version of the protocol; agent and browser must come from the same image',
      );
    }
    socket.destroy();
    return undefined;
  }
}
/** A line of a splitter is valid until the next one only. */
function copyOf(line: Buffer | undefined): Buffer | undefined {
  return line && Buffer.from(line);
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
